/// \file grid/block_view.hpp
/// Points of blocks, views of their values, and the parts of blocks visited by loops. Kernels
/// include this header; it needs no MPI.
#ifndef HYBRIDFFT_GRID_BLOCK_VIEW_HPP
#define HYBRIDFFT_GRID_BLOCK_VIEW_HPP

#include <cstdint>
#include <optional>

#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/cuda_kernel.hpp"

namespace hybridfft::grid {

/// Kinds of points: cells, nodes, or faces across an axis.
enum class Centring {
  cell, ///< n along each axis, with ghosts
  node, ///< n + 1 along each axis, with ghosts; copies of a shared node are equal after exchange()
  face_i, ///< n + 1 along i, without ghosts: fluxes along z
  face_j, ///< n + 1 along j: fluxes along y
  face_k  ///< n + 1 along k: fluxes along x
};

/// Interpolation of a finer cell from coarser ones: c + sum of (+-1/4) s, with the coarse value c
/// and its slope s along each axis.
enum class Interpolation {
  limited, ///< central slopes, limited so that no new extremum appears
  linear,  ///< central slopes
  copy     ///< no slopes
};

/// Values of ghost cells beyond an end of the domain.
enum class End {
  keep,    ///< set by the user
  outflow, ///< value of the nearest cell
  wall     ///< mirrored values; the normal component of a vector changes its sign
};

/// A point of a block, as for_blocks() passes it.
struct Cell {
  Index slot = 0; ///< slot of the block in the pools
  Index i = 0;    ///< number of the point along z in its block, from 0 on
  Index j = 0;    ///< along y
  Index k = 0;    ///< along x
  int level = 0;  ///< level of the block
  Index3 place;   ///< place of the block, in units of blocks of its level
};

/// View of a pool by block and point. It does not own the memory, and is small enough to be copied
/// into lambdas.
template <class T> class BlockView {
public:
  /// An empty view.
  BlockView() = default;
  /// Element (slot, variable, i, j, k) is data[slot * strides[0] + variable * strides[1] +
  /// i * strides[2] + j * strides[3] + k].
  HFFT_HOST_DEVICE BlockView(T *data, const Index (&strides)[4])
      : data_(data), slot_(strides[0]), variable_(strides[1]), i_(strides[2]), j_(strides[3]) {}

  /// The value at a point.
  HFFT_HOST_DEVICE T &operator()(const Cell &c, Index variable = 0) const {
    return data_[c.slot * slot_ + variable * variable_ + c.i * i_ + c.j * j_ + c.k];
  }
  /// The value `di`, `dj`, `dk` points away in the same block, ghosts included.
  HFFT_HOST_DEVICE T &operator()(const Cell &c, Index variable, Index di, Index dj,
                                 Index dk) const {
    return data_[c.slot * slot_ + variable * variable_ + (c.i + di) * i_ + (c.j + dj) * j_ + c.k +
                 dk];
  }
  /// The value at a point of a slot.
  HFFT_HOST_DEVICE T &at(Index slot, Index variable, Index i, Index j, Index k) const {
    return data_[slot * slot_ + variable * variable_ + i * i_ + j * j_ + k];
  }
  /// Elements from one point to the next along an axis.
  HFFT_HOST_DEVICE Index stride(int axis) const { return axis == 0 ? i_ : axis == 1 ? j_ : 1; }
  /// Elements from one variable to the next.
  HFFT_HOST_DEVICE Index variable_stride() const { return variable_; }
  /// Elements from one slot to the next.
  HFFT_HOST_DEVICE Index slot_stride() const { return slot_; }

private:
  T *data_ = nullptr; ///< point (0, 0, 0) of variable 0 of slot 0
  Index slot_ = 0, variable_ = 0, i_ = 0, j_ = 0;
};

/// Points of a block by their distance to ends of the domain. Ends are the sides of the box along
/// axes that are not periodic, and absent trees.
enum class Part {
  all,   ///< all inner points
  inner, ///< inner points outside of `ends`
  ends, ///< cells within `width` of an end, or the nodes on an end and `width` - 1 layers beside it
  side, ///< as `ends`, for one side of the box
  ghosts_of_side ///< `width` layers of ghosts beyond one side of the box
};

/// Blocks by their coarse faces: correct_fluxes() changes a block that has a finer one beside it.
enum class BlockChoice {
  all,       ///< all blocks
  corrected, ///< blocks with a finer block beside one of their faces
  uncorrected
};

/// The points visited by for_blocks() and reduce().
struct Where {
  int from_level = 0;                    ///< first level
  int to_level = 30;                     ///< last level
  Part part = Part::all;                 ///< points within a block
  int axis = 0;                          ///< axis of the side: 0, 1, 2 for i, j, k
  int end = 0;                           ///< 0: the low side; 1: the high one
  Index width = 1;                       ///< layers
  BlockChoice blocks = BlockChoice::all; ///< blocks of these levels
  /// Kind of points. By default the kind of all Blocks of the forest if they have the same one,
  /// else cells.
  std::optional<Centring> centring = std::nullopt;
};

namespace detail {

/// Bit of LoopBlock::sides for blocks with a finer block beside a face.
constexpr std::uint32_t corrected_bit = 1U << 6;

/// A block visited by loops, with a box of its points.
struct LoopBlock {
  Index slot;            ///< in the pools
  Index3 place;          ///< place in units of blocks of its level
  int level;             ///< of the block
  std::uint32_t outside; ///< bit (di + 1) 9 + (dj + 1) 3 + dk + 1: no leaf in this direction
  std::uint32_t sides;   ///< bit 2 axis + end: the block is at this side of the box; see below
  Index3 lo, hi;         ///< points to visit
};

/// The points of a block in a box. chosen() also tests single points for Part::inner and
/// Part::ends.
HFFT_HOST_DEVICE inline Box region_of(const LoopBlock &b, const Where &w, const Index3 &extents) {
  Box box(b.lo, b.hi);
  if (b.level < w.from_level || b.level > w.to_level) return Box();
  if (w.blocks != BlockChoice::all &&
      (w.blocks == BlockChoice::corrected) != ((b.sides & corrected_bit) != 0))
    return Box();
  if (w.part != Part::side && w.part != Part::ghosts_of_side) return box;
  if ((b.sides >> (2 * w.axis + w.end) & 1U) == 0) return Box();
  if (w.part == Part::ghosts_of_side) box = Box(Index3{}, extents);
  for (int a = 0; a < 3; ++a) { // devices unroll this loop; a run-time index costs them a copy
    if (a != w.axis) continue;
    const Index n = extents[a];
    if (w.part == Part::ghosts_of_side) {
      box.lo[a] = w.end == 0 ? -w.width : n;
      box.hi[a] = w.end == 0 ? 0 : n + w.width;
    } else {
      if (w.end == 0 && w.width < box.hi[a]) box.hi[a] = w.width;
      if (w.end == 1 && n - w.width > box.lo[a]) box.lo[a] = n - w.width;
    }
  }
  return box;
}

/// True if a point is within `width` layers of an end.
HFFT_HOST_DEVICE inline bool at_end(const LoopBlock &b, const Index3 &n, bool nodes, Index width,
                                    Index i, Index j, Index k) {
  const Index at[3] = {i, j, k};
  int low[3], high[3];
  for (int a = 0; a < 3; ++a) {
    const bool flat = n[a] == 1;
    low[a] = !flat && at[a] < width ? -1 : 0;
    high[a] = !flat && at[a] >= n[a] - width ? 1 : 0;
  }
  for (int d0 = low[0]; d0 <= high[0]; ++d0)
    for (int d1 = low[1]; d1 <= high[1]; ++d1)
      for (int d2 = low[2]; d2 <= high[2]; ++d2) {
        const int axes = (d0 != 0) + (d1 != 0) + (d2 != 0);
        if (axes == 0 || (!nodes && axes > 1)) continue;
        if ((b.outside >> ((d0 + 1) * 9 + (d1 + 1) * 3 + d2 + 1) & 1U) != 0) return true;
      }
  return false;
}

/// True if the point belongs to the chosen part; see region_of().
HFFT_HOST_DEVICE inline bool chosen(const LoopBlock &b, const Where &w, const Index3 &n, bool nodes,
                                    Index i, Index j, Index k) {
  if (w.part != Part::inner && w.part != Part::ends) return true;
  return at_end(b, n, nodes, w.width, i, j, k) == (w.part == Part::ends);
}

/// A device's work on all blocks in one launch. Index i runs over the blocks and their points along
/// i.
template <class F> struct ForBlocks {
  HFFT_HOST_DEVICE void operator()(Index row, Index j, Index k) const {
    const LoopBlock &b = blocks[row / rows];
    const Index i = row % rows + first[0];
    const Box box = region_of(b, where, extents);
    const Index y = j + first[1], x = k + first[2];
    if (i < box.lo[0] || i >= box.hi[0] || y < box.lo[1] || y >= box.hi[1] || x < box.lo[2] ||
        x >= box.hi[2])
      return;
    if (chosen(b, where, extents, nodes, i, y, x)) f(Cell{b.slot, i, y, x, b.level, b.place});
  }

  const LoopBlock *blocks;
  Index rows;   ///< points along i that may be visited
  Index3 first; ///< lowest point that may be visited
  Index3 extents;
  Where where;
  bool nodes;
  F f;
};

/// Reduces the points of each block to one value, on a device.
template <class T, class F, class Combine> struct ReduceBlocks {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index n) const {
    const LoopBlock &b = blocks[n];
    const Box box = region_of(b, where, extents);
    T value = zero;
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          if (chosen(b, where, extents, nodes, i, j, k))
            value = combine(value, f(Cell{b.slot, i, j, k, b.level, b.place}));
    out[n] = value;
  }

  const LoopBlock *blocks;
  Index3 extents;
  Where where;
  bool nodes;
  T zero;
  F f;
  Combine combine;
  T *out;
};

} // namespace detail

/// Compiles the kernel of a function for for_blocks(). The line must be in a file compiled by nvcc.
#define HFFT_CUDA_BLOCKS_KERNEL(...)                                                               \
  HFFT_CUDA_KERNEL(hybridfft::grid::detail::ForBlocks<__VA_ARGS__>)

} // namespace hybridfft::grid

#endif
