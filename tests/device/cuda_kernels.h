/// Kernels for the tests of CUDA devices.
#pragma once

#include "hybridfft/grid/box.hpp"

namespace hybridfft::test {

using grid::Index;

/// Counts the visits of each point of the array n0 x n1 x n2.
struct Visit {
  int *visits;
  Index n1, n2;
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    visits[(i * n1 + j) * n2 + k] += 1;
  }
};

/// Repeats values[k] = factor * values[k] + k.
struct Iterate {
  double *values;
  double factor;
  int times;
  HFFT_HOST_DEVICE void operator()(Index, Index, Index k) const {
    double value = values[k];
    for (int t = 0; t < times; ++t)
      value = factor * value + static_cast<double>(k);
    values[k] = value;
  }
};

} // namespace hybridfft::test
