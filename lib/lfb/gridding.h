/// Values of points of an axis on a coarser periodic grid, and back, by a smooth window, as in
/// non-uniform Fourier transforms.
#pragma once

#include <cstddef>

#include "lfb/sparse_matrix.h"

namespace hybridfft::lfb {

/// Gridding between N points of a periodic axis and M <= N coarse ones; point j lies at x = j M / N
/// coarse cells. The coarse value J is the sum over j of w(J - x_j) f_j, and the way back is the
/// transpose; w(x) = exp(beta (sqrt(1 - (2 x / W)^2) - 1)) on W coarse cells (Barnett, Magland and
/// af Klinteberg, SIAM J. Sci. Comput. 41 (2019) C479, eq. 1.8).
class Gridding {
public:
  /// \param n      number of points of the axis
  /// \param coarse wanted number of coarse points, rounded up to one that transforms well; from n
  ///               on both grids are the same and no window is used
  Gridding(std::ptrdiff_t n, double coarse);

  std::ptrdiff_t coarse() const { return coarse_; }

  /// The Fourier transform of the window at coarse mode m, 0 <= m < coarse(): the factor that this
  /// mode of the points gets on the way to the coarse grid, and once more on the way back.
  double response(std::ptrdiff_t m) const;

  /// The coarse points that some points of the axis have a share in: `count` from `first` on,
  /// modulo coarse().
  struct Range {
    std::ptrdiff_t first = 0, count = 0;
  };
  Range range(std::ptrdiff_t begin, std::ptrdiff_t end) const;

  /// The weights of the coarse points of range(begin, end) for each point begin <= j < end; columns
  /// count from the range's first point.
  template <class Real> SparseMatrix<Real> to_fine(std::ptrdiff_t begin, std::ptrdiff_t end) const;
  /// The transpose: columns count from `begin`, ascending in each row.
  template <class Real>
  SparseMatrix<Real> to_coarse(std::ptrdiff_t begin, std::ptrdiff_t end) const;

private:
  double position(std::ptrdiff_t j) const;

  std::ptrdiff_t n_, coarse_;
};

} // namespace hybridfft::lfb
