/// \file grid/for_blocks.hpp
/// Element-wise work over all blocks of a forest, and reductions: one function of a point, run over
/// all levels at once.
#ifndef HYBRIDFFT_GRID_FOR_BLOCKS_HPP
#define HYBRIDFFT_GRID_FOR_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/blocks.hpp"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::grid {

/// Points of a block, by their distance to ends of the domain: to sides of the box that are not
/// periodic, and to absent trees.
enum class Part {
  all,           ///< all inner points
  inner,         ///< inner points that are not among `ends`
  ends,          ///< cells within `width` of an end; nodes on an end, and `width` - 1 beside them
  side,          ///< the same of one side of the box
  ghosts_of_side ///< `width` layers of ghosts beyond one side of the box
};

/// The points that for_blocks() and reduce() visit.
struct Where {
  int from_level = 0;    ///< first level
  int to_level = 30;     ///< last level
  Part part = Part::all; ///< points within a block
  int axis = 0;          ///< axis of the side: 0, 1, 2 for i, j, k
  int end = 0;           ///< 0: the low side; 1: the high one
  Index width = 1;       ///< layers
  /// The points; nothing: those of all Blocks of the forest if they are the same, else cells.
  std::optional<Centring> centring = std::nullopt;
};

namespace detail {

/// A block that loops visit, with a box of its points.
struct LoopBlock {
  Index slot;            ///< in the pools
  Index3 place;          ///< in blocks of its level
  int level;             ///< of the block
  std::uint32_t outside; ///< bit (di + 1) 9 + (dj + 1) 3 + dk + 1: no leaf in this direction
  std::uint32_t sides;   ///< bit 2 axis + end: the block is at this side of the box
  Index3 lo, hi;         ///< points to visit
};

/// Blocks of a loop and the points of a block along each axis.
struct LoopBlocks {
  std::span<const LoopBlock> blocks; ///< own ones first, along the curve
  const LoopBlock *on_device;        ///< the same blocks in the device's memory
  Index own;                         ///< number of own blocks
  Index3 extents;                    ///< points of a block
  bool nodes;                        ///< points are nodes
};

/// The blocks that for_blocks() visits: own leaves, and the parts of ghost blocks that are
/// computed.
HFFT_EXPORT LoopBlocks loop_blocks(const Forest &forest, const Where &where, const Device *device);
/// Values of all leaves along the curve out of those of this rank's leaves. Collective.
HFFT_EXPORT std::vector<std::byte> gather_leaf_bytes(const Forest &forest, const std::byte *mine,
                                                     std::size_t bytes);

/// The region of a block that `where` names, apart from Part::inner and Part::ends: see chosen().
HFFT_HOST_DEVICE inline Box region_of(const LoopBlock &b, const Where &w, const Index3 &extents) {
  Box box(b.lo, b.hi);
  if (b.level < w.from_level || b.level > w.to_level) return Box();
  if (w.part != Part::side && w.part != Part::ghosts_of_side) return box;
  if ((b.sides >> (2 * w.axis + w.end) & 1U) == 0) return Box();
  const Index n = extents[w.axis];
  if (w.part == Part::side) {
    if (w.end == 0 && w.width < box.hi[w.axis]) box.hi[w.axis] = w.width;
    if (w.end == 1 && n - w.width > box.lo[w.axis]) box.lo[w.axis] = n - w.width;
  } else {
    box = Box(Index3{}, extents);
    box.lo[w.axis] = w.end == 0 ? -w.width : n;
    box.hi[w.axis] = w.end == 0 ? 0 : n + w.width;
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

/// True if the part of `where` has this point of its region.
HFFT_HOST_DEVICE inline bool chosen(const LoopBlock &b, const Where &w, const Index3 &n, bool nodes,
                                    Index i, Index j, Index k) {
  if (w.part != Part::inner && w.part != Part::ends) return true;
  return at_end(b, n, nodes, w.width, i, j, k) == (w.part == Part::ends);
}

/// Calls f for the points of a block that `where` names.
template <class F>
void on_block(const LoopBlock &b, const Where &w, const LoopBlocks &loop, const F &f) {
  const Box box = region_of(b, w, loop.extents);
  if (box.empty()) return;
  const bool all = b.outside == 0 ? w.part != Part::ends : w.part == Part::all;
  const bool none = b.outside == 0 && w.part == Part::ends;
  if (none) return;
  const bool whole = all || w.part == Part::side || w.part == Part::ghosts_of_side;
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
      if (whole) {
#if defined(_OPENMP)
#pragma omp simd
#endif
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          f(Cell{b.slot, i, j, k, b.level, b.place});
        continue;
      }
      for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        if (chosen(b, w, loop.extents, loop.nodes, i, j, k))
          f(Cell{b.slot, i, j, k, b.level, b.place});
    }
}

/// Work of a device for all blocks in one launch: index i runs over blocks and their points along
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

} // namespace detail

/// Compiles the kernel of a function of for_blocks(), in a file that nvcc compiles.
#define HFFT_CUDA_BLOCKS_KERNEL(...)                                                               \
  HFFT_CUDA_KERNEL(hybridfft::grid::detail::ForBlocks<__VA_ARGS__>)

/// Calls f(cell) once for each point of the own blocks that `where` names, and of the parts of
/// ghost blocks that other points need; in any order and concurrently. f is copied; it captures
/// views and numbers (HFFT_LAMBDA). \param host   threads \param forest the mesh \param where
/// levels and points \param f      function of a const Cell &
template <class F>
void for_blocks(const Host &host, const Forest &forest, const Where &where, const F &f) {
  const detail::LoopBlocks loop = detail::loop_blocks(forest, where, nullptr);
  const auto range = [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      detail::on_block(loop.blocks[static_cast<std::size_t>(b)], where, loop, f);
  };
  detail::for_ranges(
      static_cast<Index>(loop.blocks.size()), host.threads,
      [](const void *object, Index first, Index last) {
        (*static_cast<const decltype(range) *>(object))(first, last);
      },
      &range);
}

/// The same on a device, in one launch, after the device's earlier work; does not wait for it.
/// Devices of CUDA need HFFT_CUDA_BLOCKS_KERNEL(F).
template <class F>
void for_blocks(const Device &device, const Forest &forest, const Where &where, const F &f) {
  static_assert(std::is_trivially_copyable_v<F>);
  const detail::LoopBlocks loop = detail::loop_blocks(forest, where, &device);
  if (loop.blocks.empty()) return;
  Index3 first{}, points = loop.extents;
  if (where.part == Part::ghosts_of_side) {
    first[where.axis] = where.end == 0 ? -where.width : loop.extents[where.axis];
    points[where.axis] = where.width;
  }
  parallel_for(
      device, Box(static_cast<Index>(loop.blocks.size()) * points[0], points[1], points[2]),
      detail::ForBlocks<F>{loop.on_device, points[0], first, loop.extents, where, loop.nodes, f});
}

/// Combines the values f(cell) of the points of each own leaf, row-major: one result per leaf of
/// forest.mine().
/// \param host    threads
/// \param forest  the mesh
/// \param where   levels and points
/// \param zero    neutral in `combine`; the result for a leaf without points
/// \param f       function of a const Cell &
/// \param combine function of two values
template <class T, class F, class Combine>
std::vector<T> reduce_leaves(const Host &host, const Forest &forest, const Where &where,
                             const T &zero, const F &f, const Combine &combine) {
  const detail::LoopBlocks loop = detail::loop_blocks(forest, where, nullptr);
  std::vector<T> values(static_cast<std::size_t>(loop.own), zero);
  T *const out = values.data();
  const auto range = [&](Index first, Index last) {
    for (Index n = first; n < last; ++n) {
      const detail::LoopBlock &b = loop.blocks[static_cast<std::size_t>(n)];
      const Box box = detail::region_of(b, where, loop.extents);
      T value = zero;
      for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
          for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            if (detail::chosen(b, where, loop.extents, loop.nodes, i, j, k))
              value = combine(value, f(Cell{b.slot, i, j, k, b.level, b.place}));
      out[n] = value;
    }
  };
  detail::for_ranges(
      loop.own, host.threads,
      [](const void *object, Index first, Index last) {
        (*static_cast<const decltype(range) *>(object))(first, last);
      },
      &range);
  return values;
}

namespace detail {

/// Reduction of the points of one block each, on a device.
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

/// The same on a device, with the same bits. Waits for the device. Devices of CUDA need
/// HFFT_CUDA_KERNEL(hybridfft::grid::detail::ReduceBlocks<T, F, Combine>).
template <class T, class F, class Combine>
std::vector<T> reduce_leaves(const Device &device, const Forest &forest, const Where &where,
                             const T &zero, const F &f, const Combine &combine) {
  const detail::LoopBlocks loop = detail::loop_blocks(forest, where, &device);
  std::vector<T> values(static_cast<std::size_t>(loop.own), zero);
  if (values.empty()) return values;
  Array<T> out(device, Box(1, 1, loop.own));
  const View<T> view = out.view();
  T *const first = view.origin() + view.offset();
  parallel_for(device, Box(1, 1, loop.own),
               detail::ReduceBlocks<T, F, Combine>{loop.on_device, loop.extents, where, loop.nodes,
                                                   zero, f, combine, first});
  device.copy(values.data(), first, values.size() * sizeof(T));
  return values;
}

/// The values of all leaves along the curve, out of one for each leaf of forest.mine(). Collective.
/// \tparam T trivially copyable
template <class T> std::vector<T> gather_leaves(const Forest &forest, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::byte> bytes = detail::gather_leaf_bytes(
      forest, reinterpret_cast<const std::byte *>(mine.data()), sizeof(T));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// Combines the values f(cell) of all points that `where` names, over all ranks: within a leaf
/// row-major, then over the leaves along the curve. The same bits for any ranks and threads, on all
/// ranks. Collective. Arguments as those of reduce_leaves(), with a Host or a Device.
template <class Exec, class T, class F, class Combine>
T reduce(const Exec &exec, const Forest &forest, const Where &where, const T &zero, const F &f,
         const Combine &combine) {
  const std::vector<T> mine = reduce_leaves(exec, forest, where, zero, f, combine);
  T result = zero;
  for (const T &value : gather_leaves(forest, std::span<const T>(mine)))
    result = combine(result, value);
  return result;
}

} // namespace hybridfft::grid

#endif
