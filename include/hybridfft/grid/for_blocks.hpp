/// \file grid/for_blocks.hpp
/// Loops and reductions over the points of all blocks of a forest. One call visits all levels.
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

/// Blocks visited by a loop, and their number of points along each axis.
struct LoopBlocks {
  std::span<const LoopBlock> blocks; ///< own blocks first, in the order of the curve
  const LoopBlock *on_device;        ///< copy of `blocks` in the device's memory
  Index own;                         ///< number of own blocks
  Index3 extents;                    ///< points of a block
  bool nodes;                        ///< true if the points are nodes
};

/// Returns the blocks visited by for_blocks(): own leaves, and ghost blocks of which this rank
/// computes a part.
HFFT_EXPORT LoopBlocks loop_blocks(const Forest &forest, const Where &region, const Device *device);
/// Gathers `bytes` bytes for each leaf of all ranks, in the order of the curve. Collective.
HFFT_EXPORT std::vector<std::byte> gather_leaf_bytes(const Forest &forest, const std::byte *mine,
                                                     std::size_t bytes);

/// Calls f for the points of one block chosen by `w`.
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

/// A function and the points for which for_blocks() calls it.
/// \tparam F function of a const Cell &, as for a single call of for_blocks()
template <class F> struct Pass {
  Where region; ///< levels, blocks and points
  F f;          ///< function of a const Cell &
};
/// Deduces the function's type: Pass{{.part = Part::inner}, f}.
template <class F> Pass(const Where &, const F &) -> Pass<F>;

/// Runs several functions block by block: all passes over one block, then all passes over the next.
/// The values of a block stay in cache from pass to pass. A function may access values of its own
/// block only, ghosts included, since passes of different blocks run in any order. Otherwise this
/// equals single calls of for_blocks().
/// \param host   threads
/// \param forest the mesh
/// \param passes functions with their points
template <class... F>
void for_blocks(const Host &host, const Forest &forest, const Pass<F> &...passes) {
  Index blocks = 0;
  const auto one = [&forest, &blocks](const auto &pass) {
    const detail::LoopBlocks loop = detail::loop_blocks(forest, pass.region, nullptr);
    blocks = static_cast<Index>(loop.blocks.size()); // the same blocks for all kinds of points
    return [loop, &pass](Index b) {
      detail::on_block(loop.blocks[static_cast<std::size_t>(b)], pass.region, loop, pass.f);
    };
  };
  const auto all = [](const auto &...runs) {
    return [runs...](Index first, Index last) {
      for (Index b = first; b < last; ++b)
        (runs(b), ...);
    };
  };
  const auto range = all(one(passes)...);
  detail::for_ranges(
      blocks, host.threads,
      [](const void *object, Index first, Index last) {
        (*static_cast<const decltype(range) *>(object))(first, last);
      },
      &range);
}

/// Calls f(cell) once for each chosen point of this rank's leaves, and for some points of its ghost
/// blocks: faces for correct_fluxes() and, with halo_depth() > 1, the points needed until the next
/// message. Calls run concurrently in any order. f is copied, so it captures views and numbers
/// (HFFT_LAMBDA). If f has a member row(cell, count), host threads call it once for `count` points
/// along k, starting at `cell`, so that the compiler can vectorise.
/// \param host   threads
/// \param forest the mesh
/// \param region  levels, blocks and points
/// \param f      function of a const Cell &
template <class F>
void for_blocks(const Host &host, const Forest &forest, const Where &region, const F &f) {
  for_blocks(host, forest, Pass<F>{region, f});
}

/// Runs for_blocks() on a device, in one launch after all work enqueued so far. Does not wait for
/// the device. CUDA devices need HFFT_CUDA_BLOCKS_KERNEL(F).
template <class F>
void for_blocks(const Device &device, const Forest &forest, const Where &region, const F &f) {
  static_assert(std::is_trivially_copyable_v<F>);
  const detail::LoopBlocks loop = detail::loop_blocks(forest, region, &device);
  if (loop.blocks.empty()) return;
  Index3 first{}, points = loop.extents;
  if (region.part == Part::ghosts_of_side) {
    first[region.axis] = region.end == 0 ? -region.width : loop.extents[region.axis];
    points[region.axis] = region.width;
  }
  parallel_for(
      device, Box(static_cast<Index>(loop.blocks.size()) * points[0], points[1], points[2]),
      detail::ForBlocks<F>{loop.on_device, points[0], first, loop.extents, region, loop.nodes, f});
}

/// Runs several functions on a device, each over all blocks in one launch.
template <class... F>
void for_blocks(const Device &device, const Forest &forest, const Pass<F> &...passes) {
  (for_blocks(device, forest, passes.region, passes.f), ...);
}

/// Reduces f(cell) over the points of each leaf, in row-major order. Returns one result for each
/// leaf of forest.mine().
/// \param host    threads
/// \param forest  the mesh
/// \param region  levels, blocks and points
/// \param zero neutral element of `combine`; the result for a leaf without chosen points
/// \param f       function of a const Cell &
/// \param combine function of two values
template <class T, class F, class Combine>
std::vector<T> reduce_leaves(const Host &host, const Forest &forest, const Where &region,
                             const T &zero, const F &f, const Combine &combine) {
  const detail::LoopBlocks loop = detail::loop_blocks(forest, region, nullptr);
  std::vector<T> values(static_cast<std::size_t>(loop.own), zero);
  T *const out = values.data();
  const auto range = [&](Index first, Index last) {
    for (Index n = first; n < last; ++n) {
      const detail::LoopBlock &b = loop.blocks[static_cast<std::size_t>(n)];
      const Box box = detail::region_of(b, region, loop.extents);
      T value = zero;
      for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
          for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            if (detail::chosen(b, region, loop.extents, loop.nodes, i, j, k))
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

/// Runs reduce_leaves() on a device. The results have the same bits as on the host. Waits for the
/// device. CUDA devices need HFFT_CUDA_KERNEL(hybridfft::grid::detail::ReduceBlocks<T, F,
/// Combine>).
template <class T, class F, class Combine>
std::vector<T> reduce_leaves(const Device &device, const Forest &forest, const Where &region,
                             const T &zero, const F &f, const Combine &combine) {
  const detail::LoopBlocks loop = detail::loop_blocks(forest, region, &device);
  std::vector<T> values(static_cast<std::size_t>(loop.own), zero);
  if (values.empty()) return values;
  Array<T> out(device, Box(1, 1, loop.own));
  const View<T> view = out.view();
  T *const first = view.origin() + view.offset();
  parallel_for(device, Box(1, 1, loop.own),
               detail::ReduceBlocks<T, F, Combine>{loop.on_device, loop.extents, region, loop.nodes,
                                                   zero, f, combine, first});
  device.copy(values.data(), first, values.size() * sizeof(T));
  return values;
}

/// Gathers one value for each leaf of the forest on all ranks, in the order of the curve. `mine`
/// has the values of forest.mine(). Collective.
/// \tparam T trivially copyable
template <class T> std::vector<T> gather_leaves(const Forest &forest, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<std::byte> bytes = detail::gather_leaf_bytes(
      forest, reinterpret_cast<const std::byte *>(mine.data()), sizeof(T));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// Reduces f(cell) over the chosen points of all ranks: first within each leaf in row-major order,
/// then over the leaves along the curve. All ranks get the same result, with the same bits for any
/// number of ranks and threads. Collective. Takes a Host or a Device, and the arguments of
/// reduce_leaves().
template <class Exec, class T, class F, class Combine>
T reduce(const Exec &exec, const Forest &forest, const Where &region, const T &zero, const F &f,
         const Combine &combine) {
  const std::vector<T> mine = reduce_leaves(exec, forest, region, zero, f, combine);
  T result = zero;
  for (const T &value : gather_leaves(forest, std::span<const T>(mine)))
    result = combine(result, value);
  return result;
}

} // namespace hybridfft::grid

#endif
