/// Device kernel of restriction and prolongation between blocks and a coarse grid: a sparse matrix
/// along one axis.
#pragma once

#include "hybridfft/grid/box.hpp"
#include "solvers/lfb/device_terms.h"

namespace hybridfft::lfb {

/// View of the values [i][j][k] of a box, with contiguous k.
template <class T> struct Values {
  T *first = nullptr;
  Index step_i = 0, step_j = 0;

  HFFT_HOST_DEVICE T *at(Index i, Index j, Index k) const {
    return first + i * step_i + j * step_j + k;
  }
};

/// Multiplies the lines along an axis by a sparse matrix. One call computes the result at point (i,
/// j, k).
template <class Real> struct MultiplyLines {
  SparseTerms<Real> matrix;
  int axis = 0;
  Values<const Real> from;
  Values<Real> to;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index row = axis == 0 ? i : axis == 1 ? j : k;
    const Index step = axis == 0 ? from.step_i : axis == 1 ? from.step_j : 1;
    const Real *line = from.at(axis == 0 ? 0 : i, axis == 1 ? 0 : j, axis == 2 ? 0 : k);
    Real sum = 0;
    for (Index t = matrix.begin(row); t < matrix.ends[row]; ++t)
      sum += matrix.factors[t] * line[matrix.columns[t] * step];
    *to.at(i, j, k) = sum;
  }
};

} // namespace hybridfft::lfb
