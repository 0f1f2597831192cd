/// Declares the planner's check of a wisdom entry.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::wisdom {

/// Checks that this library could have written a key and its choice. Choices of other versions are
/// not checked. The definition is in plan/wisdom_key.cpp, since it needs the planner's problems and
/// choices.
/// \throws Failure(HFFT_ERROR_WISDOM) with the first unexpected word
void check_entry(const std::string &key, std::string_view choice);

} // namespace hybridfft::wisdom
