/// Process grids for a number of ranks.
#pragma once

#include <vector>

namespace hybridfft::plan {

/// Every way to write `ranks` as an ordered product of two factors.
std::vector<std::vector<int>> factorisations(int ranks);

/// The factors nearest to each other; the last dimension, of neighbouring ranks, is the smaller
/// one.
std::vector<int> squarish_grid(int ranks, int dimensions);

} // namespace hybridfft::plan
