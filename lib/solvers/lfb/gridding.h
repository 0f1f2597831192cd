/// Restricts the points of an axis to a coarser periodic grid and prolongs them back by a smooth
/// window, as in non-uniform FFTs. The result is accurate for the lower half of the coarse grid's
/// modes.
#pragma once

#include <cstddef>

#include "solvers/lfb/sparse_matrix.h"

namespace hybridfft::lfb {

/// Gridding between N points of a periodic axis and M <= N coarse points. Point j lies at x_j = j M
/// / N coarse cells. The coarse value J is the sum over j of w(J - x_j) f_j; prolongation is the
/// transpose. The window is w(x) = exp(beta (sqrt(1 - (2 x / W)^2) - 1)) on W coarse cells
/// (Barnett, Magland and af Klinteberg, SIAM J. Sci. Comput. 41 (2019) C479, eq. 1.8).
class Gridding {
public:
  /// \param n      number of points of the axis
  /// \param coarse requested number of coarse points, rounded up to a size with a fast transform;
  ///               for coarse >= n both grids are equal and no window is used
  Gridding(std::ptrdiff_t n, double coarse);

  std::ptrdiff_t coarse() const { return coarse_; }

  /// Returns the window's Fourier transform at coarse mode m, 0 <= m < coarse(). Restriction
  /// multiplies the mode by this factor, and so does prolongation.
  double response(std::ptrdiff_t m) const;

  /// Coarse points influenced by the points begin <= j < end: `count` points from `first` on,
  /// modulo coarse().
  struct Range {
    std::ptrdiff_t first = 0, count = 0;
  };
  Range range(std::ptrdiff_t begin, std::ptrdiff_t end) const;

  /// Returns the matrix of prolongation to the points begin <= j < end. Its columns count from the
  /// first point of range(begin, end).
  template <class Real> SparseMatrix<Real> to_fine(std::ptrdiff_t begin, std::ptrdiff_t end) const;
  /// Returns the matrix of restriction, the transpose. Its columns count from `begin`, ascending in
  /// each row.
  template <class Real>
  SparseMatrix<Real> to_coarse(std::ptrdiff_t begin, std::ptrdiff_t end) const;

private:
  double position(std::ptrdiff_t j) const;

  std::ptrdiff_t n_, coarse_;
};

} // namespace hybridfft::lfb
