/// Restricts the fields of blocks to a coarse grid and prolongs coarse fields back, on the host or
/// on a device. The coarse level of power-law absorption uses it to sum contributions of all
/// blocks.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "device/runtime.h"
#include "hybridfft/grid/array.hpp"
#include "solvers/lfb/gridding.h"

namespace hybridfft::lfb {

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
/// the coarse grid, [along 0][along 1][along 2], in host memory. Each multiplier may have one
/// restriction and prolongation in flight.
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

/// Make a restriction on the host or on a device. `multipliers` is the number of multipliers.
/// \throws OutOfMemory, Error
template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_host(std::vector<GriddedBlock<Real>> blocks,
                                                  int threads);
template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_device(std::vector<GriddedBlock<Real>> blocks,
                                                    std::size_t multipliers,
                                                    device::Runtime &runtime);

} // namespace hybridfft::lfb
