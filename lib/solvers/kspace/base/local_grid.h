/// The points of a simulation's grid on one rank, and its part of the distributed half spectrum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "io/hdf5.h"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

using grid::Lattice;

/// Layout of the half spectrum after a slab FFT with transposed output: [ky][kz][kx] distributed
/// along ky in three dimensions, else [kx][1][ky] distributed along kx. There are Nx/2 + 1 values
/// along kx. Some ranks may have no values.
class TransposedSpectrum {
public:
  /// Collective.
  TransposedSpectrum(const Extents &n, const grid::Communicator &comm);

  /// Extents of the grid's FFT, slowest axis first.
  static std::vector<std::ptrdiff_t> transform_extents(const Extents &n) {
    if (is_flat(n)) return {n[1], n[0]};
    return {n[2], n[1], n[0]};
  }
  /// Index box of this rank's values; its first index is (0, 0, 0).
  const grid::Box &box() const { return box_; }
  /// Global index of this rank's first value along i; 0 if the rank has none.
  std::ptrdiff_t start() const { return start_; }
  /// Returns which index runs along an axis (0, 1, 2 for kx, ky, kz): 0, 1, 2 for i, j, k.
  int place(int axis) const {
    constexpr std::array<int, 3> flat{0, 2, 1};
    constexpr std::array<int, 3> deep{2, 0, 1};
    return (flat_ ? flat : deep)[static_cast<std::size_t>(axis)];
  }

  /// Number of planes in this rank's slab before the FFT, and the global index of the first one.
  std::ptrdiff_t planes() const { return planes_; }
  std::ptrdiff_t planes_start() const { return planes_start_; }
  /// Number of reals of an array for in-place FFTs. It has room for this rank's slab, with rows
  /// padded to 2 (Nx/2 + 1) values, and for the spectrum that replaces it.
  std::size_t transform_size() const { return transform_size_; }

private:
  bool flat_;
  grid::Box box_;
  std::ptrdiff_t start_, planes_, planes_start_;
  std::size_t transform_size_;
};

/// The box of an Nx x Ny x Nz grid on this rank; it may be empty. Points have indices (i, j, k)
/// from (0, 0, 0), stored as [z][y][x], or [y][1][x] in one and two dimensions. So slabs are always
/// distributed along i. Rows along x are contiguous and padded (see Rows). All fields of a rank
/// have the same layout.
class LocalGrid {
public:
  /// Padding of rows along x. `transformable` pads to 2 (n/2 + 1) points, FFTW's layout for
  /// in-place r2c transforms. `aligned` pads to an odd number of cache lines: vector loads are
  /// aligned, and rows do not compete for the same cache sets.
  enum class Rows { transformable, aligned };

  /// Returns this rank's slab of whole planes for distributed FFTs. Slabs divide the grid along z,
  /// or along y in two dimensions. A grid of one dimension is a single plane. Collective.
  static LocalGrid slab(const Extents &n, const grid::Communicator &comm) {
    return slab(n, comm, Rows::transformable, sizeof(double));
  }
  /// Returns the same slab with rows padded as `rows` says, for values of `value_bytes` bytes.
  /// Collective.
  static LocalGrid slab(const Extents &n, const grid::Communicator &comm, Rows rows,
                        std::size_t value_bytes);
  /// The box of points from box.lo to box.hi - 1, with aligned rows of values of `value_bytes`
  /// bytes.
  static LocalGrid part(const Extents &n, const grid::Box &box, std::size_t value_bytes);
  /// Returns the box stored with the strides and the operand size of `larger`. Its point (i, j, k)
  /// has the offset of point (i, j, k) of `larger`.
  static LocalGrid part(const Extents &n, const grid::Box &box, const LocalGrid &larger);

  /// Numbers of points of the whole grid along x, y, z.
  const Extents &extents() const { return n_; }
  /// Number of dimensions: 1, 2 or 3.
  int dimensions() const { return kspace::dimensions(n_); }
  /// Number of points of the whole grid.
  double points() const {
    return static_cast<double>(n_[0]) * static_cast<double>(n_[1]) * static_cast<double>(n_[2]);
  }
  /// Index box of this rank's points; its first index is (0, 0, 0).
  const grid::Box &box() const { return box_; }
  /// Returns which index runs along an axis (0, 1, 2 for x, y, z): 0, 1, 2 for i, j, k.
  int place(int axis) const { return kspace::place(axis, dimensions()); }
  /// Global index of the first point along i, j or k; 0 if there is none.
  std::ptrdiff_t start(int place) const { return start_[place]; }

  /// True if each rank has whole planes. Its points are then contiguous in a dataset.
  bool whole_planes() const { return whole_planes_; }

  /// Number of rows along x in a plane (constant i) of the whole grid.
  std::ptrdiff_t rows_per_plane() const { return rows_per_plane_; }

  /// Strides in values between rows along x, and between planes of constant i.
  std::ptrdiff_t pitch() const { return pitch_; }
  std::ptrdiff_t plane() const { return plane_; }
  std::ptrdiff_t offset(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return i * plane_ + j * pitch_;
  }
  /// Maps indices (i, j, k) to offsets in a field.
  Lattice lattice() const { return {plane_, pitch_, 0}; }
  /// Maps indices to offsets in a field, with `first` as the point at offset 0.
  Lattice lattice_from(const grid::Index3 &first) const {
    return {plane_, pitch_, -(offset(first[0], first[1]) + first[2])};
  }
  /// Number of values of a field, padding included.
  std::size_t size() const { return static_cast<std::size_t>(box_.extent(0) * plane_); }
  /// Number of values of an operand of derivatives. It exceeds size() if the operand is transformed
  /// in place or extended to a periodic array.
  std::size_t operand_size() const { return operand_size_; }

  /// hyperslab() is this rank's part of a dataset [Nz][Ny][Nx]; memory() is the padded layout of
  /// this part in a field.
  io::Hyperslab hyperslab() const;
  io::MemoryLayout memory() const {
    io::MemoryLayout layout{hyperslab().count};
    layout.extent[2] = static_cast<std::size_t>(pitch_);
    if (dimensions() == 3) layout.extent[1] = static_cast<std::size_t>(plane_ / pitch_);
    return layout;
  }

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
