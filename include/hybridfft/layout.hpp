/// \file layout.hpp
/// Who owns which element of a distributed array, and where. No MPI here: ranks are numbers.
#ifndef HYBRIDFFT_LAYOUT_HPP
#define HYBRIDFFT_LAYOUT_HPP

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hybridfft/export.h"

namespace hybridfft {

/// One axis of n points cut over `parts` ranks in blocks of `block` points, FFTW's rule: the
/// default block is ceil(n/parts), so trailing parts may be short or empty.
class HFFT_EXPORT BlockDistribution {
public:
  BlockDistribution() = default;
  /// \param block 0 for the default. Throws std::invalid_argument for n < 0, parts < 1,
  ///        block < 0, or blocks that do not cover n.
  BlockDistribution(std::ptrdiff_t n, int parts, std::ptrdiff_t block = 0);

  std::ptrdiff_t n() const { return n_; }
  int parts() const { return parts_; }
  std::ptrdiff_t block() const { return block_; }
  /// Number of points of a part; 0 for empty ones.
  std::ptrdiff_t count(int part) const;
  /// First point of a part; n for empty ones.
  std::ptrdiff_t start(int part) const;
  /// The part that owns point i, 0 <= i < n.
  int owner(std::ptrdiff_t i) const { return static_cast<int>(i / block_); }
  /// Number of parts that are not empty (they come first).
  int working_parts() const;

  bool operator==(const BlockDistribution &) const = default;

private:
  std::ptrdiff_t n_ = 0;
  int parts_ = 1;
  std::ptrdiff_t block_ = 1;
};

/// One axis of a Layout, in memory order.
struct AxisLayout {
  int axis = 0;                   ///< which logical axis
  BlockDistribution distribution; ///< how it is cut
  std::ptrdiff_t padding = 0;     ///< allocated but meaningless points after each local part
};

/// How a global array lies over a grid of ranks: axes from the slowest to the fastest in memory,
/// each cut over its parts; `howmany` values per point are interleaved (fastest of all).
/// The ranks of the grid are numbered row-major over the axes in memory order.
class HFFT_EXPORT Layout {
public:
  Layout() = default;
  /// Throws std::invalid_argument unless the axes are a permutation of 0..d-1.
  explicit Layout(std::vector<AxisLayout> slowest_to_fastest, std::ptrdiff_t howmany = 1);

  struct SlabOptions {
    bool transposed = false;         ///< stored n1 x n0 x ..., cut along n1
    std::ptrdiff_t block = 0;        ///< of the axis that is cut, 0: default
    std::ptrdiff_t howmany = 1;      ///< interleaved values per point
    std::ptrdiff_t last_padding = 0; ///< padding of the last axis (real data of r2c and c2r)
  };
  /// FFTW-MPI's layout: the slowest axis cut over all ranks.
  static Layout slab(std::span<const std::ptrdiff_t> extents, int ranks, SlabOptions options);
  static Layout slab(std::span<const std::ptrdiff_t> extents, int ranks) {
    return slab(extents, ranks, SlabOptions{});
  }

  int dimensions() const { return static_cast<int>(axes_.size()); }
  int ranks() const { return ranks_; }
  std::ptrdiff_t howmany() const { return howmany_; }
  const std::vector<AxisLayout> &axes() const { return axes_; }

  /// Points of a rank along a logical axis, and the first of them.
  std::ptrdiff_t local_count(int rank, int axis) const;
  std::ptrdiff_t local_start(int rank, int axis) const;
  /// Values that the local array of a rank spans, padding and howmany included.
  std::ptrdiff_t local_size(int rank) const;

  /// Global index of the value at an offset of a rank's array, 0 <= offset < local_size(rank),
  /// one entry per logical axis into `index`; returns false for padding.
  bool global(int rank, std::ptrdiff_t offset, std::span<std::ptrdiff_t> index) const;
  struct Location {
    int rank;
    std::ptrdiff_t offset; ///< of the first of the howmany values
  };
  /// Where a global point (one entry per logical axis) lives.
  Location locate(std::span<const std::ptrdiff_t> index) const;

  /// "n1(40/4) n0(40) n2(21+1) x2": axes in memory order, parts, padding, howmany.
  std::string describe() const;

  bool operator==(const Layout &other) const;

private:
  int coordinate(int rank, std::size_t position) const;
  std::size_t position_of(int axis) const;

  std::vector<AxisLayout> axes_;
  std::ptrdiff_t howmany_ = 1;
  int ranks_ = 1;
};

/// A Layout seen from one rank: for each local element the global (i, j, k, ...) it is.
class LayoutView {
public:
  LayoutView() = default;
  LayoutView(Layout layout, int rank) : layout_(std::move(layout)), rank_(rank) {}

  const Layout &layout() const { return layout_; }
  int rank() const { return rank_; }
  std::ptrdiff_t size() const { return layout_.local_size(rank_); }
  std::ptrdiff_t count(int axis) const { return layout_.local_count(rank_, axis); }
  std::ptrdiff_t start(int axis) const { return layout_.local_start(rank_, axis); }
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
