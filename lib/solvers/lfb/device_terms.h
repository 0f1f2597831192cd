/// View of a sparse matrix in the memory of a device, for kernels.
#pragma once

#include "hybridfft/grid/box.hpp"

namespace hybridfft::lfb {

using grid::Index;

/// Arrays of a SparseMatrix in the memory of a device.
template <class Real> struct SparseTerms {
  const Index *ends = nullptr, *columns = nullptr;
  const Real *factors = nullptr;

  /// Index of the first term of a row.
  HFFT_HOST_DEVICE Index begin(Index row) const { return row == 0 ? 0 : ends[row - 1]; }
};

} // namespace hybridfft::lfb
