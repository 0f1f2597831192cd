/// The part of a simulation's grid on one rank, and the distribution of its half spectrum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "io/hdf5.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/base/point_kernels.h"

namespace hybridfft::kspace {

/// Layout of a half spectrum after one exchange of slab transforms: [y][z][kx] distributed along y,
/// or [kx][1][y] distributed along kx in one and two dimensions. It has Nx/2 + 1 values along kx. A
/// rank may have none.
class TransposedSpectrum {
public:
  /// Collective.
  TransposedSpectrum(const Extents &n, const grid::Communicator &comm);

  /// Extents of a transform of the grid, slowest first.
  static std::vector<std::ptrdiff_t> transform_extents(const Extents &n);
  /// This rank's values, starting at (0, 0, 0).
  const grid::Box &box() const { return box_; }
  /// Global index along i of the first value; 0 if there is none.
  std::ptrdiff_t start() const { return start_; }
  /// Position of the axis 0, 1, 2 = kx, ky, kz in the indices i, j, k.
  int place(int axis) const;

  /// Planes in space of this rank, its slab of the transform.
  std::ptrdiff_t planes() const { return planes_; }
  std::ptrdiff_t planes_start() const { return planes_start_; }
  /// Real values of an array for either these planes, with rows padded to 2 (Nx/2 + 1) values, or
  /// this spectrum.
  std::size_t transform_size() const { return transform_size_; }

private:
  bool flat_;
  grid::Box box_;
  std::ptrdiff_t start_, planes_, planes_start_;
  std::size_t transform_size_;
};

/// This rank's box of an Nx x Ny x Nz grid; it may be empty. See
/// dimensions(). Points are (i, j, k) starting at (0, 0, 0): [z][y][x], or [y][1][x] in one and two
/// dimensions, so slabs are always cut along i. Rows along x are contiguous and padded (see Rows).
/// All fields of a rank have the same layout.
class LocalGrid {
public:
  /// Padding of rows along x. `transformable` pads to 2 (n/2 + 1) points, FFTW's in-place r2c
  /// layout. `aligned` pads to an odd number of cache lines for vector loads and cache
  /// associativity.
  enum class Rows { transformable, aligned };

  /// Slabs of whole planes along z, or y in two dimensions, as distributed FFTs use them. A grid of
  /// one dimension is one plane. Collective.
  static LocalGrid slab(const Extents &n, const grid::Communicator &comm);
  /// Slabs in rows of values of `value_bytes`. Collective.
  static LocalGrid slab(const Extents &n, const grid::Communicator &comm, Rows rows,
                        std::size_t value_bytes);
  /// The points [lo, hi) of (i, j, k), in aligned rows of values of `value_bytes`.
  static LocalGrid part(const Extents &n, const grid::Box &box, std::size_t value_bytes);
  /// The points [lo, hi), stored as the first points of a larger grid.
  static LocalGrid part(const Extents &n, const grid::Box &box, const LocalGrid &larger);

  /// Extents of the whole grid, x, y, z.
  const Extents &extents() const { return n_; }
  /// 1, 2 or 3.
  int dimensions() const { return kspace::dimensions(n_); }
  /// Points of the whole grid.
  double points() const;
  /// This rank's points, starting at (0, 0, 0).
  const grid::Box &box() const { return box_; }
  /// Position of the axis 0, 1, 2 = x, y, z in the indices i, j, k.
  int place(int axis) const { return kspace::place(axis, dimensions()); }
  /// Global index of the first point along i, j or k; 0 if there is none.
  std::ptrdiff_t start(int place) const { return start_[place]; }

  /// True if every rank's points are whole planes, contiguous in a dataset.
  bool whole_planes() const { return whole_planes_; }

  /// Rows along x in a plane (constant i) of the whole grid.
  std::ptrdiff_t rows_per_plane() const { return rows_per_plane_; }

  /// Values from one row along x to the next, and from one plane of rows to the next.
  std::ptrdiff_t pitch() const { return pitch_; }
  std::ptrdiff_t plane() const { return plane_; }
  std::ptrdiff_t offset(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return i * plane_ + j * pitch_;
  }
  /// Offsets of points (i, j, k) in a field.
  Lattice lattice() const { return {plane_, pitch_, 0}; }
  /// Offsets for indices relative to the point `first`.
  Lattice lattice_from(const grid::Index3 &first) const {
    return {plane_, pitch_, -(offset(first[0], first[1]) + first[2])};
  }
  /// Values of a field.
  std::size_t size() const { return static_cast<std::size_t>(box_.extent(0) * plane_); }
  /// Values of an operand of derivatives. It is larger than a field because of its in-place
  /// transform or its periodic extension.
  std::size_t operand_size() const { return operand_size_; }

  /// This rank's points in a dataset [Nz][Ny][Nx], and in memory.
  io::Hyperslab hyperslab() const;
  io::MemoryLayout memory() const;

  /// Offset in a field of the point with the zero-based linear index x + Nx (y + Ny z). Returns
  /// nothing if another rank has the point.
  std::optional<std::ptrdiff_t> offset_of(std::int64_t point) const;
  /// Linear index of the point (i, j, k).
  std::int64_t point(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) const {
    return k + start_[2] + n_[0] * (j + start_[1] + rows_per_plane_ * (i + start_[0]));
  }

private:
  static LocalGrid laid_out(const Extents &n, const grid::Box &box, std::ptrdiff_t pitch);

  Extents n_;
  grid::Box box_;
  grid::Index3 start_;
  std::ptrdiff_t rows_per_plane_ = 1;
  std::ptrdiff_t pitch_ = 0, plane_ = 0;
  std::size_t operand_size_ = 0;
  bool whole_planes_ = false;
};

} // namespace hybridfft::kspace
