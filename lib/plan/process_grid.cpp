#include "plan/process_grid.h"

#include <cmath>

namespace hybridfft::plan {

std::vector<std::vector<int>> factorisations(int ranks) {
  std::vector<std::vector<int>> all;
  for (int p = 1; p <= ranks; ++p)
    if (ranks % p == 0) all.push_back({p, ranks / p});
  return all;
}

std::vector<int> squarish_grid(int ranks, int dimensions) {
  std::vector<int> grid(static_cast<std::size_t>(dimensions), 1);
  for (int i = dimensions - 1; i > 0; --i) {
    // The largest factor up to the root that all remaining dimensions would share.
    const double root = std::pow(ranks, 1.0 / (i + 1));
    int factor = 1;
    for (int f = 1; f <= ranks && f <= root + 1e-9; ++f)
      if (ranks % f == 0) factor = f;
    grid[static_cast<std::size_t>(i)] = factor;
    ranks /= factor;
  }
  grid[0] = ranks;
  return grid;
}

} // namespace hybridfft::plan
