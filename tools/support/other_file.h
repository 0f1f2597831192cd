/// Refuses an output file that is the input file of the same program.
#pragma once

#include <string>

namespace hybridfft::tools {

/// Throws std::invalid_argument about the option -o if output and input are the same file, even by
/// another path or a link. `role` describes the input ("the input file"). Does nothing if `input`
/// is empty.
void require_other_file(const std::string &output, const std::string &input,
                        const std::string &role);

} // namespace hybridfft::tools
