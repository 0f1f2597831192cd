/// Numbers in the notation of processor sets.
#pragma once

#include <string>
#include <vector>

namespace hybridfft {

/// "0-3,8" for 0 1 2 3 8; the numbers ascend. "none" without any.
std::string compact_list(const std::vector<int> &numbers);

} // namespace hybridfft
