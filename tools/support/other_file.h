/// An output must not replace its input.
#pragma once

#include <string>

namespace hybridfft::tools {

/// Throws std::invalid_argument, naming the option -o, when the output is the file that `role`
/// ("the input file") names, also by another path or through links. No input: nothing.
void require_other_file(const std::string &output, const std::string &input,
                        const std::string &role);

} // namespace hybridfft::tools
