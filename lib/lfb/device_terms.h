/// A sparse matrix in memory of a device, for kernels.
#pragma once

#include "hybridfft/grid/box.hpp"

namespace hybridfft::lfb {

using grid::Index;

/// As SparseMatrix has it.
template <class Real> struct SparseTerms {
  const Index *ends = nullptr, *columns = nullptr;
  const Real *factors = nullptr;

  HFFT_HOST_DEVICE Index begin(Index row) const { return row == 0 ? 0 : ends[row - 1]; }
};

} // namespace hybridfft::lfb
