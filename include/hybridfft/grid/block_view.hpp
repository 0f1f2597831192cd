/// \file grid/block_view.hpp
/// Views of the values of mesh blocks, and the choice of points visited by loops over blocks. Files
/// with kernels include this header; it needs no MPI.
#ifndef HYBRIDFFT_GRID_BLOCK_VIEW_HPP
#define HYBRIDFFT_GRID_BLOCK_VIEW_HPP

#include <cstdint>
#include <optional>

#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/cuda_kernel.hpp"

namespace hybridfft::grid {

/// Location of values within a block of n cells along each axis.
enum class Centring {
  cell,   ///< cell centres: n points along each axis, with ghosts
  node,   ///< n + 1 points along each axis, with ghosts; exchange() makes shared nodes equal
  face_i, ///< n + 1 faces along i, without ghosts: fluxes along z
  face_j, ///< n + 1 faces along j: fluxes along y
  face_k  ///< n + 1 faces along k: fluxes along x
};

/// Interpolation from a coarse cell to its children: c + sum over the axes of +-s/4. c is the value
/// of the coarse cell, and s its slope along each axis, in change per coarse cell.
enum class Interpolation {
  limited, ///< central slopes, limited so that no new extremum appears
  linear,  ///< central slopes
  copy     ///< no slopes
};

/// Rule for ghost cells beyond an end of the domain.
enum class End {
  keep,    ///< unchanged; the user sets them
  outflow, ///< value of the nearest cell
  wall     ///< mirrored values; the normal component of a vector changes its sign
};

/// A point of a block; for_blocks() passes it to the user's function.
struct Cell {
  Index slot = 0; ///< slot of the block in the pools of Blocks
  Index i = 0;    ///< index of the point along z in its block, from 0
  Index j = 0;    ///< along y
  Index k = 0;    ///< along x
  int level = 0;  ///< level of the block
  Index3 place;   ///< position of the block, in blocks of its level
};

/// View of the values of a Blocks object, indexed by block and point. It does not own the memory
/// and is copied into lambdas by value.
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
  /// The value at offset (di, dj, dk) from a point of the same block, ghosts included.
  HFFT_HOST_DEVICE T &operator()(const Cell &c, Index variable, Index di, Index dj,
                                 Index dk) const {
    return data_[c.slot * slot_ + variable * variable_ + (c.i + di) * i_ + (c.j + dj) * j_ + c.k +
                 dk];
  }
  /// The value at a point of the block in a slot.
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

/// Choice of points of a block by their distance to the ends of the domain. Ends are the sides of
/// the domain along axes that are not periodic, and the faces of absent trees.
enum class Part {
  all,   ///< all inner points
  inner, ///< inner points that do not belong to `ends`
  ends,  ///< inner cells in the `width` layers at an end; nodes: on an end and the `width` - 1
         ///< layers beside it
  side,  ///< like `ends`, at one side of the domain only
  ghosts_of_side ///< the `width` layers of ghosts beyond one side of the domain
};

/// Choice of blocks by their neighbours: correct_fluxes() changes blocks with a finer neighbour.
enum class BlockChoice {
  all,       ///< all blocks
  corrected, ///< blocks with a finer block at one of their faces
  uncorrected
};

/// The points visited by for_blocks() and reduce().
struct Where {
  int from_level = 0;                    ///< first level
  int to_level = 30;                     ///< last level
  Part part = Part::all;                 ///< points chosen within each block
  int axis = 0;                          ///< axis of the side: 0, 1, 2 for i, j, k
  int end = 0;                           ///< 0: the low side; 1: the high one
  Index width = 1;                       ///< number of layers, for all parts but Part::all
  BlockChoice blocks = BlockChoice::all; ///< choice among the blocks of these levels
  /// Kind of points. By default it is the kind shared by all Blocks of the forest. If the Blocks
  /// have different kinds, it is cells.
  std::optional<Centring> centring = std::nullopt;
};

namespace detail {

/// Bit of LoopBlock::sides: the block has a finer block at one of its faces.
constexpr std::uint32_t corrected_bit = 1U << 6;

/// A block visited by a loop, and the box of its points to visit.
struct LoopBlock {
  Index slot;            ///< slot in the pools of Blocks
  Index3 place;          ///< position in blocks of its level
  int level;             ///< level of the block
  std::uint32_t outside; ///< bit (di + 1) 9 + (dj + 1) 3 + dk + 1: no leaf towards (di, dj, dk)
  std::uint32_t
      sides; ///< bit 2 axis + end: the block touches this side of the domain; also corrected_bit
  Index3 lo, hi; ///< points to visit
};

/// Returns the box of a block's points chosen by `w`. For Part::inner and Part::ends it is a
/// superset, and chosen() tests each point.
HFFT_HOST_DEVICE inline Box region_of(const LoopBlock &b, const Where &w, const Index3 &extents) {
  Box box(b.lo, b.hi);
  if (b.level < w.from_level || b.level > w.to_level) return Box();
  if (w.blocks != BlockChoice::all &&
      (w.blocks == BlockChoice::corrected) != ((b.sides & corrected_bit) != 0))
    return Box();
  if (w.part != Part::side && w.part != Part::ghosts_of_side) return box;
  if ((b.sides >> (2 * w.axis + w.end) & 1U) == 0) return Box();
  if (w.part == Part::ghosts_of_side) box = Box(Index3{}, extents);
  for (int a = 0; a < 3; ++a) { // unrolled on devices, where a run-time index would copy the box
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

/// True if `w` chooses the point, for points of region_of().
HFFT_HOST_DEVICE inline bool chosen(const LoopBlock &b, const Where &w, const Index3 &n, bool nodes,
                                    Index i, Index j, Index k) {
  if (w.part != Part::inner && w.part != Part::ends) return true;
  return at_end(b, n, nodes, w.width, i, j, k) == (w.part == Part::ends);
}

/// Kernel that runs for_blocks() on a device: one launch covers all blocks. Its first index counts
/// the rows (block, i) of all blocks.
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
  Index rows;   ///< number of points along i of each block's range
  Index3 first; ///< lowest indices of the points to visit
  Index3 extents;
  Where where;
  bool nodes;
  F f;
};

/// Kernel that reduces the points of each block to one value on a device.
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

/// Instantiates the CUDA kernel of for_blocks() for a function type. Use it in a file compiled by
/// nvcc.
#define HFFT_CUDA_BLOCKS_KERNEL(...)                                                               \
  HFFT_CUDA_KERNEL(hybridfft::grid::detail::ForBlocks<__VA_ARGS__>)

} // namespace hybridfft::grid

#endif
