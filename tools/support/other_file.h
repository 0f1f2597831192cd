/// Protects the input from being replaced by the output.
#pragma once

#include <string>

namespace hybridfft::tools {

/// Throws std::invalid_argument with the option -o if the output is the input file, even by another
/// path or a link. `role` describes the input ("the input file"). Does nothing without an input.
void require_other_file(const std::string &output, const std::string &input,
                        const std::string &role);

} // namespace hybridfft::tools
