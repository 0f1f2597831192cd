/// How the grid of a simulation lies over the ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "io/hdf5.h"
#include "kspace/extents.h"
#include "kspace/real.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// The part of an Nx x Ny x Nz grid that one rank holds; Nz = 1 is a grid of two dimensions.
///  - In space the slowest axis is cut (z, or y in two dimensions). Rows along x are contiguous and
///    padded (see Rows): stored [z][y][x], or [y][1][x].
///  - The spectrum is transposed, so that a transform needs one exchange only: stored [y][z][kx]
///    and cut along y, or [kx][1][y] and cut along kx, with Nx/2 + 1 values along kx.
/// Both may be empty.
class Slab {
public:
  /// How rows along x are padded: to 2 (Nx/2 + 1) points, FFTW's r2c layout, for transforms in
  /// place; or to an odd number of cache lines, which vectors and caches prefer.
  enum class Rows { transformable, aligned };
  /// Collective.
  Slab(const Extents &n, const grid::Communicator &comm, Rows rows = Rows::transformable);

  const Extents &extents() const { return n_; }
  /// 2 or 3.
  int dimensions() const { return n_[2] == 1 ? 2 : 3; }
  /// Extents of a transform of the grid, slowest first.
  std::vector<std::ptrdiff_t> transform_extents() const;
  double points() const;
  grid::Box real() const { return real_; }
  grid::Box spectral() const { return spectral_; }
  /// Which index of a local array is along the axis 0, 1, 2 = x, y, z: 0, 1 or 2 for i, j or k.
  int real_place(int axis) const;
  int spectral_place(int axis) const;
  /// Global index of the first plane along i; 0 when there is none.
  std::ptrdiff_t real_start() const { return real_.extent(0) > 0 ? real_start_ : 0; }
  std::ptrdiff_t spectral_start() const { return spectral_.extent(0) > 0 ? spectral_start_ : 0; }
  /// Values from one row along x to the next.
  std::ptrdiff_t pitch() const { return pitch_; }
  /// Values of an array that is only used in space.
  std::size_t real_size() const;
  /// Values of an array that is transformed: it holds real values or their spectrum.
  std::size_t transform_size() const { return transform_size_; }

  /// Where this rank's planes are in a dataset [Nz][Ny][Nx], and in memory.
  io::Hyperslab box() const;
  io::MemoryLayout memory() const;

  /// Offset in a local array of the point with the linear index x + Nx (y + Ny z), zero-based, or
  /// nothing when another rank has it.
  std::optional<std::ptrdiff_t> offset_of(std::int64_t point) const;
  /// Linear index of the local point (i, j, k).
  std::int64_t point(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    return k + n_[0] * (j + real_.extent(1) * (real_start_ + i));
  }

private:
  Extents n_;
  grid::Box real_, spectral_;
  std::ptrdiff_t real_start_ = 0;
  std::ptrdiff_t spectral_start_ = 0;
  std::ptrdiff_t pitch_ = 0;
  std::size_t transform_size_ = 0;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
