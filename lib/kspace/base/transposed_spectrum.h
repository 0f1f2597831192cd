/// The distribution of a grid's half spectrum over the ranks.
#pragma once

#include <vector>

#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "kspace/base/extents.h"

namespace hybridfft::kspace {

/// Transposed, so that a transform of slabs needs one exchange only: [y][z][kx] cut along y, or
/// [kx][1][y] cut along kx in two dimensions, with Nx/2 + 1 values along kx. A rank may have none.
class TransposedSpectrum {
public:
  /// Collective.
  TransposedSpectrum(const Extents &n, const grid::Communicator &comm);

  /// Extents of a transform of the grid, slowest first.
  static std::vector<std::ptrdiff_t> transform_extents(const Extents &n);
  /// This rank's values, from (0, 0, 0) on.
  const grid::Box &box() const { return box_; }
  /// Global index of the first one along i; 0 when there is none.
  std::ptrdiff_t start() const { return start_; }
  /// The index, of i, j, k, along the axis 0, 1, 2 = kx, ky, kz.
  int place(int axis) const;

  /// The planes in space that this rank has: those of the slab that the transform is cut into.
  std::ptrdiff_t planes() const { return planes_; }
  std::ptrdiff_t planes_start() const { return planes_start_; }
  /// Real values of an array that holds either those planes, each row padded to 2 (Nx/2 + 1)
  /// values, or this spectrum.
  std::size_t transform_size() const { return transform_size_; }

private:
  bool flat_;
  grid::Box box_;
  std::ptrdiff_t start_, planes_, planes_start_;
  std::size_t transform_size_;
};

} // namespace hybridfft::kspace
