/// \file layout.hpp
/// Layouts of distributed arrays: the owner of each element, and its offset in the owner's array.
/// Without MPI: ranks are numbers.
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

/// One axis of n points cut over `parts` ranks in blocks of `block` points, FFTW's rule: the
/// default block is ceil(n/parts), so trailing parts may be short or empty.
class HFFT_EXPORT BlockDistribution {
public:
  BlockDistribution() = default;
  /// \param block 0 for the default. Throws Error(HFFT_ERROR_LAYOUT) for n < 0, parts < 1,
  ///        block < 0, or blocks that do not cover n.
  BlockDistribution(std::ptrdiff_t n, int parts, std::ptrdiff_t block = 0);

  /// Number of points of the axis.
  std::ptrdiff_t n() const { return n_; }
  /// Number of parts, which is that of ranks along the axis.
  int parts() const { return parts_; }
  /// Points of all parts but the last ones.
  std::ptrdiff_t block() const { return block_; }
  /// Number of points of a part; 0 for empty ones.
  std::ptrdiff_t count(int part) const;
  /// First point of a part; n for empty ones.
  std::ptrdiff_t start(int part) const;
  /// The part that owns point i, 0 <= i < n.
  int owner(std::ptrdiff_t i) const { return static_cast<int>(i / block_); }
  /// Number of parts that are not empty (they come first).
  int working_parts() const;

  /// Cuts as many points into the same parts.
  bool operator==(const BlockDistribution &) const = default;

private:
  std::ptrdiff_t n_ = 0;
  int parts_ = 1;
  std::ptrdiff_t block_ = 1;
};

/// One axis of a Layout, in memory order.
struct AxisLayout {
  int axis = 0;                   ///< number of the logical axis
  BlockDistribution distribution; ///< the cuts of the axis
  std::ptrdiff_t padding = 0;     ///< allocated but meaningless points after each local part
};

/// Part of an index space: start[a] <= i < start[a] + count[a] along every logical axis a.
struct HFFT_EXPORT IndexBox {
  std::vector<std::ptrdiff_t> start; ///< along every logical axis
  std::vector<std::ptrdiff_t> count; ///< along every logical axis

  /// Number of points in it.
  std::ptrdiff_t points() const;
  /// The same points.
  bool operator==(const IndexBox &) const = default;
};

/// The memory order of the howmany values of a point.
enum class Fields {
  interleaved, ///< next to each other: the fastest axis of memory
  separate     ///< one local array after another: the slowest
};

/// The distribution of a global array over ranks: axes from the slowest to the fastest in memory,
/// each cut over its parts, or a box of any shape for each rank; `howmany` values per point.
///
/// The ranks of a grid are numbered row-major over its axes: in memory order by the constructor, in
/// logical order by grid(), so that layouts of one grid in different memory orders have the same
/// numbering.
class HFFT_EXPORT Layout {
public:
  Layout() = default;
  /// Throws Error(HFFT_ERROR_LAYOUT) unless the axes are a permutation of 0..d-1.
  explicit Layout(std::vector<AxisLayout> slowest_to_fastest, std::ptrdiff_t howmany = 1,
                  Fields fields = Fields::interleaved);

  /// Properties of slabs, all but their extents.
  struct SlabOptions {
    bool transposed = false;         ///< stored n1 x n0 x ..., cut along n1
    std::ptrdiff_t block = 0;        ///< block of the axis that is cut, 0: default
    std::ptrdiff_t howmany = 1;      ///< interleaved values per point
    std::ptrdiff_t last_padding = 0; ///< padding of the last axis (real data of r2c and c2r)
  };
  /// FFTW-MPI's layout: the slowest axis cut over all ranks.
  static Layout slab(std::span<const std::ptrdiff_t> extents, int ranks, SlabOptions options);
  /// The same without any options.
  static Layout slab(std::span<const std::ptrdiff_t> extents, int ranks) {
    return slab(extents, ranks, SlabOptions{});
  }

  /// Properties of grids and boxes, all but their extents.
  struct Options {
    std::vector<int> order; ///< axes from the slowest to the fastest; empty: 0, 1, ..., d-1
    std::vector<std::ptrdiff_t> padding; ///< points after each local axis; empty: none
    std::ptrdiff_t howmany = 1;          ///< values per point
    Fields fields = Fields::interleaved; ///< memory order of the values of a point
  };
  /// Slabs, pencils or bricks: axis a cut into parts[a] default blocks.
  static Layout grid(std::span<const std::ptrdiff_t> extents, const std::vector<int> &parts,
                     const Options &options);
  /// The same without any options.
  static Layout grid(std::span<const std::ptrdiff_t> extents, const std::vector<int> &parts) {
    return grid(extents, parts, Options{});
  }
  /// A grid of unequal blocks: counts[a][i] points of axis a are those of part i. Zeros are legal.
  static Layout grid(const std::vector<std::vector<std::ptrdiff_t>> &counts,
                     const Options &options);
  /// A box for each rank, together exactly the array; boxes may be empty.
  /// All of these throw Error(HFFT_ERROR_LAYOUT) that names what was found and expected, and
  /// Error(HFFT_ERROR_OVERFLOW) where the values of the array, or the bytes of a rank's part of it,
  /// are more than 63 bits can count.
  static Layout boxes(std::span<const std::ptrdiff_t> extents, std::vector<IndexBox> list,
                      const Options &options);
  /// The same without any options.
  static Layout boxes(std::span<const std::ptrdiff_t> extents, std::vector<IndexBox> list) {
    return boxes(extents, std::move(list), Options{});
  }

  /// Number of axes.
  int dimensions() const { return static_cast<int>(axes_.size()); }
  /// Number of ranks that the array lies over.
  int ranks() const { return ranks_; }
  /// Values per point.
  std::ptrdiff_t howmany() const { return howmany_; }
  /// The memory order of the values of a point.
  Fields fields() const { return fields_; }
  /// The axes in memory order. If ranks have boxes of any shape, each axis is in one part.
  const std::vector<AxisLayout> &axes() const { return axes_; }
  /// Points of the array along a logical axis.
  std::ptrdiff_t extent(int axis) const { return axes_[position_of(axis)].distribution.n(); }
  /// Points of the array along all logical axes.
  std::vector<std::ptrdiff_t> extents() const;

  /// Points of a rank along a logical axis, and the first of them.
  std::ptrdiff_t local_count(int rank, int axis) const;
  /// First point of a rank along a logical axis.
  std::ptrdiff_t local_start(int rank, int axis) const;
  /// The points of a rank.
  IndexBox box(int rank) const;
  /// The parts of an axis in a grid of equal blocks, and how far apart the ranks of neighbours are;
  /// one part where ranks have boxes of any shape.
  int parts(int axis) const { return axes_[position_of(axis)].distribution.parts(); }
  /// The difference between the ranks of neighbours along an axis.
  int rank_stride(int axis) const { return rank_strides_[position_of(axis)]; }
  /// Values that the local array of a rank spans, padding and howmany included.
  std::ptrdiff_t local_size(int rank) const;
  /// Elements from a value of a point to that of the next field.
  std::ptrdiff_t field_stride(int rank) const;
  /// The layout of a single field.
  Layout of_one_field() const {
    Layout one(*this);
    one.howmany_ = 1;
    return one;
  }

  /// Global index of the value at an offset of a rank's array, 0 <= offset < local_size(rank),
  /// one entry per logical axis into `index`; returns false for padding.
  bool global(int rank, std::ptrdiff_t offset, std::span<std::ptrdiff_t> index) const;
  /// The owner of a point, and the offset of its values in the owner's array.
  struct Location {
    int rank;              ///< rank that has the point
    std::ptrdiff_t offset; ///< place of the first of the howmany values
  };
  /// The location of a global point (one entry per logical axis).
  Location locate(std::span<const std::ptrdiff_t> index) const;

  /// "n1(40/4) n0(40) n2(21+1) x2": axes in memory order, parts, padding, howmany.
  std::string describe() const;

  /// The same points at the same places of all ranks.
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
  std::vector<int> rank_strides_; ///< distance of neighbours along each axis, in memory order
  std::shared_ptr<const std::vector<IndexBox>> boxes_; ///< one for each rank, if it is no grid
  std::ptrdiff_t howmany_ = 1;
  Fields fields_ = Fields::interleaved;
  int ranks_ = 1;
};

/// A Layout seen from one rank: for each local element the global (i, j, k, ...) it is.
class LayoutView {
public:
  LayoutView() = default;
  /// The view of rank `rank`, 0 <= rank < layout.ranks().
  LayoutView(Layout layout, int rank) : layout_(std::move(layout)), rank_(rank) {}

  /// The whole layout.
  const Layout &layout() const { return layout_; }
  /// The rank that it is seen from.
  int rank() const { return rank_; }
  /// Elements of the local array, padding and howmany included.
  std::ptrdiff_t size() const { return layout_.local_size(rank_); }
  /// Local points along a logical axis.
  std::ptrdiff_t count(int axis) const { return layout_.local_count(rank_, axis); }
  /// The first of them.
  std::ptrdiff_t start(int axis) const { return layout_.local_start(rank_, axis); }
  /// Global index of the value at an offset of the local array; false for padding.
  bool global(std::ptrdiff_t offset, std::span<std::ptrdiff_t> index) const {
    return layout_.global(rank_, offset, index);
  }

  /// Calls f(offset, index) for every local value that is not padding, in memory order; index is
  /// the D-dimensional global index. Throws nothing of its own. D must be the layout's dimension.
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
