/// How the grid of a simulation lies over the ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "grid/box.h"
#include "grid/communicator.h"
#include "io/hdf5.h"

namespace hybridfft::kspace {

/// Points along x, y and z.
using Extents = std::array<std::ptrdiff_t, 3>;

/// The part of an Nx x Ny x Nz grid that one rank holds.
///  - In space: the planes first_z .. first_z + real().n0 - 1, stored [z][y][x] with x contiguous
///    and padded to 2 (Nx/2 + 1) (FFTW's r2c layout).
///  - In the spectrum: the rows first_y .. first_y + spectral().n0 - 1, stored [y][z][kx] with
///    Nx/2 + 1 values along kx: transposed, so that a transform needs one exchange only.
/// Both may be empty.
class Slab {
public:
  /// Collective.
  Slab(const Extents &n, const grid::Communicator &comm);

  const Extents &extents() const { return n_; }
  double points() const;
  grid::Box real() const { return real_; }
  grid::Box spectral() const { return spectral_; }
  std::ptrdiff_t first_z() const { return first_z_; }
  std::ptrdiff_t first_y() const { return first_y_; }
  /// Floats from one row along x to the next.
  std::ptrdiff_t pitch() const { return 2 * spectral_.n2; }
  /// Floats of an array that is only used in space.
  std::size_t real_size() const;
  /// Floats of an array that is transformed: it holds real values or their spectrum.
  std::size_t transform_size() const { return transform_size_; }

  /// Where this rank's planes are in a dataset [Nz][Ny][Nx], and in memory.
  io::Hyperslab box() const;
  io::MemoryLayout memory() const;

  /// Offset in a local array of the point with the linear index x + Nx (y + Ny z), zero-based, or
  /// nothing when another rank has it.
  std::optional<std::ptrdiff_t> offset_of(std::int64_t point) const;
  /// Linear index of the local point (z, y, x).
  std::int64_t point(std::ptrdiff_t z, std::ptrdiff_t y, std::ptrdiff_t x) const {
    return x + n_[0] * (y + n_[1] * (first_z_ + z));
  }

private:
  Extents n_;
  grid::Box real_, spectral_;
  std::ptrdiff_t first_z_ = 0;
  std::ptrdiff_t first_y_ = 0;
  std::size_t transform_size_ = 0;
};

} // namespace hybridfft::kspace
