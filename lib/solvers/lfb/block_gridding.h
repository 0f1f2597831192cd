/// Restricts fields of blocks to a coarse grid and prolongs them back, on the host or on a device.
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

/// The range of coarse points of a block along each axis.
using GridRanges = std::array<Gridding::Range, 3>;

inline Index points_of(const GridRanges &along) {
  return along[0].count * along[1].count * along[2].count;
}

/// A block, its coarse points, and the matrices between both along the axes.
template <class Real> struct GriddedBlock {
  grid::Box box;
  GridRanges along;
  std::array<SparseMatrix<Real>, 3> to_coarse, to_fine;
};

/// Restriction and prolongation for this rank's blocks. A share holds the coarse values of one
/// block, [along 0][along 1][along 2], in host memory. Each multiplier can have one pair of calls
/// in flight.
template <class Real> class BlockGridding {
public:
  virtual ~BlockGridding() = default;
  /// Starts to compute the shares of fields. Later work of the same processor (the host's threads,
  /// or the compute stream) may overwrite the fields.
  virtual void start_shares(std::size_t multiplier, std::span<const grid::View<const Real>> fields,
                            std::span<Real *const> shares) = 0;
  /// True if start_shares() returns only after the shares are complete.
  virtual bool shares_at_once() const = 0;
  /// Waits until the shares of a multiplier are complete.
  virtual void await_shares(std::size_t multiplier) = 0;
  /// Computes fields from shares by the transpose of the restriction. The shares may be overwritten
  /// afterwards.
  virtual void prolong(std::size_t multiplier, std::span<Real *const> shares,
                       std::span<const grid::View<Real>> fields) = 0;
};

/// Create the host's and the device's version. `multipliers` is the number of multipliers. Throw
/// OutOfMemory and Error.
template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_host(std::vector<GriddedBlock<Real>> blocks,
                                                  int threads);
template <class Real>
std::unique_ptr<BlockGridding<Real>> grid_on_device(std::vector<GriddedBlock<Real>> blocks,
                                                    std::size_t multipliers,
                                                    device::Runtime &runtime);

} // namespace hybridfft::lfb
