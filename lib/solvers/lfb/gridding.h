/// Restricts the points of an axis to a coarser periodic grid and prolongs them back by a smooth
/// window, as in non-uniform FFTs. The result is accurate for the lower half of the coarse grid's
/// modes.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/runtime.h"
#include "hybridfft/grid/array.hpp"
#include "solvers/lfb/small_product.h"

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
  /// Returns the matrix of restriction, the transpose of to_fine(). Its columns count from `begin`,
  /// ascending in each row.
  template <class Real>
  SparseMatrix<Real> to_coarse(std::ptrdiff_t begin, std::ptrdiff_t end) const;

private:
  double position(std::ptrdiff_t j) const;

  std::ptrdiff_t n_, coarse_;
};

// Restricts the fields of blocks to a coarse grid and prolongs coarse fields back, on the host or
// on a device. The coarse level of power-law absorption uses it to sum contributions of all
// blocks.

using grid::Index;

/// Range of a block's coarse points along each axis.
using GridRanges = std::array<Gridding::Range, 3>;

/// Number of coarse points of a block.
inline Index points_of(const GridRanges &along) {
  return along[0].count * along[1].count * along[2].count;
}

/// Block with its coarse points, and the matrices of restriction and prolongation along each axis.
template <class Real> struct GriddedBlock {
  grid::Box box;
  GridRanges along;
  std::array<SparseMatrix<Real>, 3> to_coarse, to_fine;
};

/// Restriction and prolongation for this rank's blocks. A share is the contribution of one block to
/// the coarse grid, [along 0][along 1][along 2], in host memory. A multiplier is the number of a
/// power |k|^s of CoarseLevel. Each multiplier may have one restriction and prolongation in flight.
template <class Real> class BlockGridding {
public:
  virtual ~BlockGridding() = default;
  /// Starts the restriction of one field per block. Later work of the same processor (host threads,
  /// or the compute stream) may overwrite the fields.
  virtual void start_shares(std::size_t multiplier, std::span<const grid::View<const Real>> fields,
                            std::span<Real *const> shares) = 0;
  /// True if start_shares() returns only after the shares are complete.
  virtual bool shares_at_once() const = 0;
  /// Waits until the shares of a multiplier are complete.
  virtual void await_shares(std::size_t multiplier) = 0;
  /// Computes fields from coarse values by prolongation, the transpose of the restriction. The
  /// shares may be overwritten afterwards.
  virtual void prolong(std::size_t multiplier, std::span<Real *const> shares,
                       std::span<const grid::View<Real>> fields) = 0;
};

/// Make the BlockGridding of this rank's blocks, on the host or on a device. `multipliers` is the
/// number of multipliers.
/// \throws OutOfMemory, Error
template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_host(std::vector<GriddedBlock<Real>> blocks,
                                                  int threads);
template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_device(std::vector<GriddedBlock<Real>> blocks,
                                                    std::size_t multipliers,
                                                    device::Runtime &runtime);

} // namespace hybridfft::lfb
