/// Check of the words of a wisdom entry by the planner.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::wisdom {

/// Throws Failure(HFFT_ERROR_WISDOM) with the first word of a key, or of its choice, that this
/// library does not write. Choices of other versions are not checked. The definition is next to
/// problems and choices (plan/wisdom_key.cpp).
void check_entry(const std::string &key, std::string_view choice);

} // namespace hybridfft::wisdom
