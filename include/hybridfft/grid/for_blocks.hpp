/// \file grid/for_blocks.hpp
/// Loops and reductions over the points of all blocks of a forest. One function of a point runs
/// over all levels in one call.
#ifndef HYBRIDFFT_GRID_FOR_BLOCKS_HPP
#define HYBRIDFFT_GRID_FOR_BLOCKS_HPP

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/block_view.hpp"
#include "hybridfft/grid/blocks.hpp"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::grid {

namespace detail {

/// Blocks of a loop and the points of a block along each axis.
struct LoopBlocks {
  std::span<const LoopBlock> blocks; ///< own blocks first, along the curve
  const LoopBlock *on_device;        ///< the same blocks in the device's memory
  Index own;                         ///< number of own blocks
  Index3 extents;                    ///< points of a block
  bool nodes;                        ///< points are nodes
};

/// The blocks visited by for_blocks(): own leaves, and the ghost blocks that this rank computes in
/// part.
HFFT_EXPORT LoopBlocks loop_blocks(const Forest &forest, const Where &where, const Device *device);
/// Gathers values of all leaves along the curve from the values of own leaves. Collective.
HFFT_EXPORT std::vector<std::byte> gather_leaf_bytes(const Forest &forest, const std::byte *mine,
                                                     std::size_t bytes);

/// Calls f for the points of a block chosen by `where`.
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
        if constexpr (requires(const Cell &c, Index n) { f.row(c, n); }) {
          f.row(Cell{b.slot, i, j, box.lo[2], b.level, b.place}, box.extent(2));
          continue;
        }
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

} // namespace detail

/// Calls f(cell) once for each point of own blocks chosen by `where`, and for the parts of ghost
/// blocks needed by other points. Calls come in any order and run concurrently. f is copied, so it
/// captures views and numbers (HFFT_LAMBDA). If f has a member row(cell, count), threads of the
/// host call it once for `count` points along k, starting at `cell`, so that loops can be
/// vectorised.
/// \param host   threads
/// \param forest the mesh
/// \param where  levels and points
/// \param f      function of a const Cell &
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

/// Does the same on a device, in one launch after the device's earlier work. Does not wait for it.
/// CUDA devices need HFFT_CUDA_BLOCKS_KERNEL(F).
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

/// Combines the values f(cell) of each own leaf in row-major order. Returns one result per leaf of
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

/// Does the same on a device, with the same bits. Waits for the device. CUDA devices need
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

/// Gathers the values of all leaves along the curve, one value for each leaf of forest.mine().
/// Collective.
/// \tparam T trivially copyable
template <class T> std::vector<T> gather_leaves(const Forest &forest, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::byte> bytes = detail::gather_leaf_bytes(
      forest, reinterpret_cast<const std::byte *>(mine.data()), sizeof(T));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// Combines the values f(cell) of all points chosen by `where`, over all ranks: first within each
/// leaf in row-major order, then over the leaves along the curve. All ranks get the same bits, for
/// any number of ranks and threads. Collective. The arguments are those of reduce_leaves(), with a
/// Host or a Device.
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
