/// The words of an entry, which the planner knows.
#pragma once

#include <string>
#include <string_view>

namespace hybridfft::wisdom {

/// Throws Failure(HFFT_ERROR_WISDOM) naming the first word of a key, or of the choice that is known
/// under it, that this library does not write. What other versions of the library say of their
/// choices is theirs. Defined where problems and choices are (plan/wisdom_key.cpp).
void check_entry(const std::string &key, std::string_view choice);

} // namespace hybridfft::wisdom
