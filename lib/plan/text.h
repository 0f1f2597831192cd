/// Pieces of what plans say of themselves.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hybridfft::plan {

/// "8x6x4".
std::string joined(const std::vector<std::ptrdiff_t> &n);

/// Each line two blanks further to the right.
std::string indented(const std::string &lines);

} // namespace hybridfft::plan
