/// Applies a basis along one axis of a block on the host: packs the values sent to the neighbours
/// and fills the gap. Small dense or sparse matrices are multiplied by many lines at once.
#pragma once

#include <cstddef>

#include "solvers/lfb/basis.h"
#include "solvers/lfb/lines.h"
#include "solvers/lfb/small_product.h"
#include "solvers/lfb/sparse_matrix.h"

namespace hybridfft::lfb {

/// Matrices of a basis for one size of gap. Thread-safe after construction.
template <class Real> class AxisFill {
public:
  /// \throws Error(HFFT_ERROR_ARGUMENT) for a gap not supported by the basis
  AxisFill(const Basis &basis, std::ptrdiff_t gap);

  /// Writes the message for the neighbour on one side, Basis::numbers() values per line. Processes
  /// the groups of lines [first, end), as numbered by Lines.
  void pack(const Packing<Real> &packing, Index first, Index end) const;
  /// Computes the gap behind the points of each line, for the groups of lines [first, end).
  void fill(const Filling<Real> &filling, Index first, Index end) const;

private:
  void pack_across(const Packing<Real> &packing, std::ptrdiff_t o) const;
  void pack_along(const Packing<Real> &packing, std::ptrdiff_t first, std::ptrdiff_t last) const;
  void fill_bell(const Filling<Real> &filling, std::ptrdiff_t outer) const;
  void fill_across(const Filling<Real> &filling, std::ptrdiff_t outer) const;
  void fill_along(const Filling<Real> &filling, std::ptrdiff_t first, std::ptrdiff_t last) const;

  std::ptrdiff_t overlap_, gap_;
  SmallMatrix<Real>
      moments_;             ///< matrix of moments of the points at a cut; empty if points are sent
  SparseMatrix<Real> bell_; ///< matrix of the gap for a bell
  MirroredMatrix<Real> continuation_; ///< matrix of Basis::coefficients(); empty for a bell
};

extern template class AxisFill<float>;
extern template class AxisFill<double>;

} // namespace hybridfft::lfb
