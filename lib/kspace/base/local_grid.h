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
#include "kspace/base/extents.h"
#include "kspace/base/lattice.h"

namespace hybridfft::kspace {

/// Transposed, for transforms of slabs with one exchange only: [y][z][kx] cut along y, or
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

  /// The planes in space of this rank: its slab of the transform.
  std::ptrdiff_t planes() const { return planes_; }
  std::ptrdiff_t planes_start() const { return planes_start_; }
  /// Real values of an array with room for either these planes, each row padded to
  /// 2 (Nx/2 + 1) values, or this spectrum.
  std::size_t transform_size() const { return transform_size_; }

private:
  bool flat_;
  grid::Box box_;
  std::ptrdiff_t start_, planes_, planes_start_;
  std::size_t transform_size_;
};

/// A box, possibly empty, of an Nx x Ny x Nz grid; Nz = 1 is a grid of two dimensions. Points
/// are (i, j, k) from (0, 0, 0) on: [z][y][x], or [y][1][x] in two dimensions: the axis cut
/// into slabs comes first. Rows along x are contiguous and padded (see Rows). All
/// fields of a rank lie alike.
class LocalGrid {
public:
  /// The padding of rows along x: to 2 (n/2 + 1) points, FFTW's r2c layout, for transforms in
  /// place; or to an odd number of cache lines, for vectors and caches.
  enum class Rows { transformable, aligned };

  /// Whole planes, as FFTs of the grid over all ranks are cut: along z, or y in two dimensions.
  /// Collective.
  static LocalGrid slab(const Extents &n, const grid::Communicator &comm);
  /// Whole planes in rows of values of `value_bytes`. Collective.
  static LocalGrid slab(const Extents &n, const grid::Communicator &comm, Rows rows,
                        std::size_t value_bytes);
  /// The points [lo, hi) of (i, j, k), in aligned rows of values of `value_bytes`.
  static LocalGrid part(const Extents &n, const grid::Box &box, std::size_t value_bytes);
  /// The points [lo, hi), placed in memory as the first points of a larger grid.
  static LocalGrid part(const Extents &n, const grid::Box &box, const LocalGrid &larger);

  /// Extents of the whole grid, x, y, z.
  const Extents &extents() const { return n_; }
  /// 2 or 3.
  int dimensions() const { return kspace::dimensions(n_); }
  /// Points of the whole grid.
  double points() const;
  /// This rank's points, from (0, 0, 0) on.
  const grid::Box &box() const { return box_; }
  /// The index, of i, j, k, along the axis 0, 1, 2 = x, y, z.
  int place(int axis) const { return kspace::place(axis, dimensions()); }
  /// Global index of the first point along i, j or k; 0 without one.
  std::ptrdiff_t start(int place) const { return start_[place]; }

  /// Every rank's points are whole planes, one after another in a dataset.
  bool whole_planes() const { return whole_planes_; }

  /// Rows along x in a plane (one i) of the whole grid.
  std::ptrdiff_t rows_per_plane() const { return rows_per_plane_; }

  /// Values from one row along x to the next, and from one plane of rows to the next.
  std::ptrdiff_t pitch() const { return pitch_; }
  std::ptrdiff_t plane() const { return plane_; }
  std::ptrdiff_t offset(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return i * plane_ + j * pitch_;
  }
  /// The offsets of points (i, j, k) in a field.
  Lattice lattice() const { return {plane_, pitch_, 0}; }
  /// The same for indices counted from point `first`.
  Lattice lattice_from(const grid::Index3 &first) const {
    return {plane_, pitch_, -(offset(first[0], first[1]) + first[2])};
  }
  /// Values of a field.
  std::size_t size() const { return static_cast<std::size_t>(box_.extent(0) * plane_); }
  /// Values of an operand of derivatives: its transform in place, or its periodic extension, needs
  /// more than its points.
  std::size_t operand_size() const { return operand_size_; }

  /// This rank's points in a dataset [Nz][Ny][Nx], and in memory.
  io::Hyperslab hyperslab() const;
  io::MemoryLayout memory() const;

  /// Offset in a field of the point with the linear index x + Nx (y + Ny z), zero-based, or
  /// nothing when another rank has it.
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
