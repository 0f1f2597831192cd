/// Declares the planner's check of a wisdom entry.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::wisdom {

/// Throws Failure(HFFT_ERROR_WISDOM) with the first word of a key, or of its choice, that this
/// library cannot have written. Choices of other versions are not checked. Defined in
/// plan/wisdom_key.cpp, beside problems and choices.
void check_entry(const std::string &key, std::string_view choice);

} // namespace hybridfft::wisdom
