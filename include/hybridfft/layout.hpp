/// \file layout.hpp
/// Layouts of distributed arrays: the owner of each element, and its offset in the owner's array.
/// The file needs no MPI: ranks are numbers.
#ifndef HYBRIDFFT_LAYOUT_HPP
#define HYBRIDFFT_LAYOUT_HPP

#include "hybridfft/require_cxx20.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hybridfft/error.hpp"
#include "hybridfft/export.h"

namespace hybridfft {

/// One axis of n points distributed over `parts` ranks in blocks of `block` points, as in FFTW. The
/// default block is ceil(n/parts), so trailing parts may be short or empty.
class HFFT_EXPORT BlockDistribution {
public:
  BlockDistribution() = default;
  /// Distributes an axis.
  /// \param n number of points
  /// \param parts number of parts
  /// \param block points of a block; 0: the default
  /// \throws Error HFFT_ERROR_LAYOUT for n < 0, parts < 1, block < 0, or blocks too small to cover
  ///   n
  BlockDistribution(std::ptrdiff_t n, int parts, std::ptrdiff_t block = 0);

  /// Returns the number of points of the axis.
  std::ptrdiff_t n() const { return n_; }
  /// Returns the number of parts, equal to the number of ranks along the axis.
  int parts() const { return parts_; }
  /// Returns the points of a full part; trailing parts may have fewer.
  std::ptrdiff_t block() const { return block_; }
  /// Returns the number of points of a part; 0 if it is empty.
  std::ptrdiff_t count(int part) const;
  /// Returns the first point of a part; n if it is empty.
  std::ptrdiff_t start(int part) const;
  /// Returns the part with point i, 0 <= i < n.
  int owner(std::ptrdiff_t i) const { return static_cast<int>(i / block_); }
  /// Returns the number of nonempty parts (they come first).
  int working_parts() const;

  /// Returns true if both distribute equally many points into the same parts.
  bool operator==(const BlockDistribution &) const = default;

private:
  std::ptrdiff_t n_ = 0;
  int parts_ = 1;
  std::ptrdiff_t block_ = 1;
};

/// One axis of a Layout, in memory order.
struct AxisLayout {
  int axis = 0;                   ///< logical axis
  BlockDistribution distribution; ///< distribution of the axis
  std::ptrdiff_t padding = 0;     ///< allocated but unused points after each local part
};

/// Part of an index space: start[a] <= i < start[a] + count[a] along every logical axis a.
struct HFFT_EXPORT IndexBox {
  std::vector<std::ptrdiff_t> start; ///< first point along every logical axis
  std::vector<std::ptrdiff_t> count; ///< number of points along every logical axis

  /// Returns the number of points.
  std::ptrdiff_t points() const;
  /// Returns true if both boxes have the same points.
  bool operator==(const IndexBox &) const = default;
};

/// Memory order of the howmany values of a point.
enum class Fields {
  interleaved, ///< next to each other: the fastest axis of memory
  separate     ///< one local array after another: the slowest axis of memory
};

/// Distribution of a global array over ranks, with `howmany` values per point. Its axes are listed
/// from the slowest to the fastest in memory. Each axis is distributed over its parts, or each rank
/// has a box of any shape.
///
/// The ranks of a grid are numbered row-major over its axes. The constructor numbers them in memory
/// order. grid() numbers them in logical order, so layouts of one grid with different memory orders
/// have the same numbering.
class HFFT_EXPORT Layout {
public:
  Layout() = default;
  /// Makes a layout of axes in memory order.
  /// \throws Error HFFT_ERROR_LAYOUT unless the axes are a permutation of 0..d-1
  explicit Layout(std::vector<AxisLayout> slowest_to_fastest, std::ptrdiff_t howmany = 1,
                  Fields fields = Fields::interleaved);

  /// Properties of slabs besides their extents.
  struct SlabOptions {
    bool transposed = false;         ///< stored n1 x n0 x ..., distributed along n1
    std::ptrdiff_t block = 0;        ///< block of the distributed axis; 0: default
    std::ptrdiff_t howmany = 1;      ///< interleaved values per point
    std::ptrdiff_t last_padding = 0; ///< padding of the last axis (real data of r2c and c2r)
  };
  /// Makes FFTW-MPI's layout: the slowest axis is distributed over all ranks.
  static Layout slab(std::span<const std::ptrdiff_t> extents, int ranks, SlabOptions options);
  /// Makes a slab with default options.
  static Layout slab(std::span<const std::ptrdiff_t> extents, int ranks) {
    return slab(extents, ranks, SlabOptions{});
  }

  /// Properties of grids and boxes besides their extents.
  struct Options {
    std::vector<int> order; ///< axes from the slowest to the fastest; empty: 0, 1, ..., d-1
    std::vector<std::ptrdiff_t> padding; ///< points after each local axis; empty: none
    std::ptrdiff_t howmany = 1;          ///< values per point
    Fields fields = Fields::interleaved; ///< memory order of the values of a point
  };
  /// Makes slabs, pencils or bricks: axis a in parts[a] default blocks.
  static Layout grid(std::span<const std::ptrdiff_t> extents, const std::vector<int> &parts,
                     const Options &options);
  /// Makes a grid with default options.
  static Layout grid(std::span<const std::ptrdiff_t> extents, const std::vector<int> &parts) {
    return grid(extents, parts, Options{});
  }
  /// Makes a grid of unequal blocks: part i has counts[a][i] points of axis a. Zeros are legal.
  static Layout grid(const std::vector<std::vector<std::ptrdiff_t>> &counts,
                     const Options &options);
  /// Makes a layout with one box per rank. The boxes tile the array exactly; some may be empty.
  /// \throws Error all these functions throw HFFT_ERROR_LAYOUT with the value found and expected,
  ///   and HFFT_ERROR_OVERFLOW if the values of the array, or the bytes of a rank's part, exceed 63
  ///   bits
  static Layout boxes(std::span<const std::ptrdiff_t> extents, std::vector<IndexBox> list,
                      const Options &options);
  /// Makes a layout of boxes with default options.
  static Layout boxes(std::span<const std::ptrdiff_t> extents, std::vector<IndexBox> list) {
    return boxes(extents, std::move(list), Options{});
  }

  /// Returns the number of axes.
  int dimensions() const { return static_cast<int>(axes_.size()); }
  /// Returns the number of ranks.
  int ranks() const { return ranks_; }
  /// Returns the values per point.
  std::ptrdiff_t howmany() const { return howmany_; }
  /// Returns the memory order of the values of a point.
  Fields fields() const { return fields_; }
  /// Returns the axes in memory order. With boxes of any shape, each axis has one part.
  const std::vector<AxisLayout> &axes() const { return axes_; }
  /// Returns the points of the array along a logical axis.
  std::ptrdiff_t extent(int axis) const { return axes_[position_of(axis)].distribution.n(); }
  /// Returns the points of the array along all logical axes.
  std::vector<std::ptrdiff_t> extents() const;

  /// Returns the number of points of a rank along a logical axis.
  std::ptrdiff_t local_count(int rank, int axis) const;
  /// Returns the first point of a rank along a logical axis.
  std::ptrdiff_t local_start(int rank, int axis) const;
  /// Returns the points of a rank.
  IndexBox box(int rank) const;
  /// Returns the parts of an axis in a grid of equal blocks; 1 if ranks have boxes of any shape.
  int parts(int axis) const { return axes_[position_of(axis)].distribution.parts(); }
  /// Returns the difference between the rank numbers of two neighbours along an axis.
  int rank_stride(int axis) const { return rank_strides_[position_of(axis)]; }
  /// Returns the values in the local array of a rank, padding and howmany included.
  std::ptrdiff_t local_size(int rank) const;
  /// Returns the distance, in elements, between two consecutive values of a point in memory.
  std::ptrdiff_t field_stride(int rank) const;
  /// Returns the layout of a single field.
  Layout of_one_field() const {
    Layout one(*this);
    one.howmany_ = 1;
    return one;
  }

  /// Sets `index` (one entry per logical axis) to the global index of the element at an offset of a
  /// rank's array, 0 <= offset < local_size(rank). Returns false for padding.
  bool global(int rank, std::ptrdiff_t offset, std::span<std::ptrdiff_t> index) const;
  /// Owner of a point, and offset of its values in the owner's array.
  struct Location {
    int rank;              ///< owner of the point
    std::ptrdiff_t offset; ///< place of the first of the howmany values
  };
  /// Returns the location of a global point (one entry per logical axis).
  Location locate(std::span<const std::ptrdiff_t> index) const;

  /// Returns axes in memory order, parts, padding and howmany, as "n1(40/4) n0(40) n2(21+1) x2".
  std::string describe() const;

  /// Returns true if all ranks have the same points at the same places.
  bool operator==(const Layout &other) const;

private:
  struct Part {
    std::ptrdiff_t start, count;
  };
  void number_logically();
  int coordinate(int rank, std::size_t position) const;
  std::size_t position_of(int axis) const;
  Part part(int rank, std::size_t position) const;
  std::ptrdiff_t points(int rank) const;
  int owner(std::span<const std::ptrdiff_t> index) const;

  std::vector<AxisLayout> axes_;
  std::vector<int> rank_strides_; ///< rank distance of neighbours along each axis, in memory order
  std::shared_ptr<const std::vector<IndexBox>> boxes_; ///< one box for each rank; nullptr for a
                                                       ///< grid
  std::ptrdiff_t howmany_ = 1;
  Fields fields_ = Fields::interleaved;
  int ranks_ = 1;
};

/// A Layout seen from one rank: it maps each local element to its global index (i, j, k, ...).
class LayoutView {
public:
  LayoutView() = default;
  /// Makes the view of rank `rank`, 0 <= rank < layout.ranks().
  LayoutView(Layout layout, int rank) : layout_(std::move(layout)), rank_(rank) {}

  /// Returns the underlying layout.
  const Layout &layout() const { return layout_; }
  /// Returns the rank of the view.
  int rank() const { return rank_; }
  /// Returns the elements of the local array, padding and howmany included.
  std::ptrdiff_t size() const { return layout_.local_size(rank_); }
  /// Returns the number of local points along a logical axis.
  std::ptrdiff_t count(int axis) const { return layout_.local_count(rank_, axis); }
  /// Returns the first local point along a logical axis.
  std::ptrdiff_t start(int axis) const { return layout_.local_start(rank_, axis); }
  /// Sets `index` to the global index of an offset of the local array; returns false for padding.
  bool global(std::ptrdiff_t offset, std::span<std::ptrdiff_t> index) const {
    return layout_.global(rank_, offset, index);
  }

  /// Calls f(offset, index) for every local value except padding, in memory order. index is the
  /// D-dimensional global index; D must be the layout's dimension. Only f may throw.
  template <std::size_t D, class F> void for_each(F &&f) const {
    std::array<std::ptrdiff_t, D> index{};
    const std::ptrdiff_t n = size();
    for (std::ptrdiff_t offset = 0; offset < n; ++offset)
      if (global(offset, index)) f(offset, std::as_const(index));
  }

private:
  Layout layout_;
  int rank_ = 0;
};

} // namespace hybridfft

#endif
