/// Formats numbers in the notation of processor sets.
#pragma once

#include <string>
#include <vector>

namespace hybridfft {

/// Returns "0-3,8" for the ascending numbers 0 1 2 3 8, and "none" for an empty list.
std::string compact_list(const std::vector<int> &numbers);

} // namespace hybridfft
