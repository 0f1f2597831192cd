/// \file levelset/tiles.hpp
/// Loops over tiles, small cubes of points. A step works only on the tiles near the front.
#ifndef HYBRIDFFT_LEVELSET_TILES_HPP
#define HYBRIDFFT_LEVELSET_TILES_HPP

#include <algorithm>
#include <optional>
#include <vector>

#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/levelset/kernels.hpp"

namespace hybridfft::levelset {

using grid::Array;
using grid::Box;
using grid::Index3;
using grid::View;

/// Threads of the host or a device, and the memory of its fields.
struct Executor {
  grid::Host host;
  std::optional<grid::Device> device;
};

namespace detail {

/// An array in the memory of the executor.
template <class T>
Array<T> make_array(const Executor &exec, const Box &box, const grid::Widths &ghosts) {
  if (exec.device) return Array<T>(*exec.device, box, ghosts);
  return Array<T>(grid::Place::host, box, ghosts, exec.host.threads);
}

/// A list of values in the memory of the executor.
template <class T> class List {
public:
  List() = default;
  List(const Executor &exec, const std::vector<T> &values)
      : count_(static_cast<Index>(values.size())) {
    array_ = Array<T>(grid::Place::host, Box(1, 1, count_));
    std::copy(values.begin(), values.end(), data());
    if (exec.device && count_ > 0) array_ = array_.copy_to(*exec.device);
  }
  T *data() const { return const_cast<T *>(array_.view().origin() + array_.view().offset()); }
  Index size() const { return count_; }

private:
  Array<T> array_;
  Index count_ = 0;
};

/// Calls f for all points of a box on the host, in rows that vectorise.
template <class F> void for_box(const Box &box, const F f) {
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
#if defined(_OPENMP)
#pragma omp simd
#endif
      for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        f(i, j, k);
    }
}

/// A list of tiles in the memory of the executor, and on the host.
struct TileList {
  TileList() = default;
  TileList(const Executor &exec, std::vector<Box> tiles, const Index3 &tile_edge)
      : boxes(std::move(tiles)), edge(tile_edge) {
    if (exec.device) there = List<Box>(exec, boxes);
  }
  Index size() const { return static_cast<Index>(boxes.size()); }
  std::vector<Box> boxes;
  List<Box> there;
  Index3 edge;
};

/// Calls f(i, j, k) once for every point of the tiles.
template <class F> void for_points(const Executor &exec, const TileList &tiles, const F &f) {
  if (tiles.size() == 0) return;
  if (exec.device)
    return grid::parallel_for(*exec.device,
                              Box(tiles.size() * tiles.edge[0], tiles.edge[1], tiles.edge[2]),
                              TileWalk<F>{f, tiles.there.data(), tiles.edge});
  const Box *const boxes = tiles.boxes.data();
  grid::detail::for_rows(exec.host, Box(tiles.size(), 1, 1),
                         [&](Index t, Index) { for_box(boxes[t], f); });
}

/// Does the same for the points of a box.
template <class F> void for_points(const Executor &exec, const Box &box, const F &f) {
  if (exec.device) return grid::parallel_for(*exec.device, box, f);
  grid::detail::for_rows(exec.host, box, [&](Index i, Index j) {
    for_box(Box({{i, j, box.lo[2]}}, {{i + 1, j + 1, box.hi[2]}}), f);
  });
}

/// Calls f(i, j, k, counts) for the points of each tile, and returns the counts of each.
template <class F>
std::vector<kernels::Counts> count(const Executor &exec, const TileList &tiles, const F &f) {
  std::vector<kernels::Counts> counts(tiles.boxes.size());
  if (tiles.size() == 0) return counts;
  if (!exec.device) {
    const Box *const boxes = tiles.boxes.data();
    kernels::Counts *const to = counts.data();
    grid::detail::for_rows(exec.host, Box(tiles.size(), 1, 1), [&](Index t, Index) {
      kernels::Counts c;
      const Box &tile = boxes[t];
      for (Index i = tile.lo[0]; i < tile.hi[0]; ++i)
        for (Index j = tile.lo[1]; j < tile.hi[1]; ++j)
          for (Index k = tile.lo[2]; k < tile.hi[2]; ++k)
            f(i, j, k, c);
      to[t] = c;
    });
    return counts;
  }
  const Index rows = tiles.edge[0] * tiles.edge[1];
  std::vector<kernels::Counts> of_rows(static_cast<std::size_t>(tiles.size() * rows));
  const List<kernels::Counts> there(exec, of_rows);
  grid::parallel_for(*exec.device, Box(1, tiles.size(), rows),
                     RowWalk<F>{f, tiles.there.data(), tiles.edge, there.data()});
  exec.device->copy(of_rows.data(), there.data(), of_rows.size() * sizeof(kernels::Counts));
  for (std::size_t n = 0; n < of_rows.size(); ++n)
    counts[n / static_cast<std::size_t>(rows)].add(of_rows[n]);
  return counts;
}

} // namespace detail

} // namespace hybridfft::levelset

#endif
