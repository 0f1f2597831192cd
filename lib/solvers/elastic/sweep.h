/// Runs the kernels of kernels.h and surface_kernels.h over boxes, on host threads or a device.
#pragma once

#include "solvers/elastic/exec.h"
#include "solvers/elastic/rows.h"
#include "solvers/elastic/surface_kernels.h"

namespace hybridfft::elastic {

/// Calls column(i, j, 0) for the rows of a box, if it begins directly below a free surface's plane.
template <class Column>
void sweep_columns(const ElasticExec &exec, grid::Box box, const Column &column) {
  if (box.empty() || box.lo[2] != 1) return;
  box.lo[2] = 0;
  box.hi[2] = 1;
  for_points(exec, box, column);
}

/// Runs sweep_columns() in this thread alone.
template <class Column> void columns_of(const grid::Box &box, const Column &column) {
  if (box.lo[2] != 1) return;
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      column(i, j, 0);
}

/// Returns the number of rows in a tile. Differences along x reuse a tile in the next plane, so the
/// tile of `arrays` arrays must fit into half of a 1 MiB cache.
Index rows_of_tile(Index length, std::size_t bytes, Index arrays);

/// Runs kernel(i, j, k) once for every index of the box, with the widest vectors of the processor.
/// If the box begins directly below a free surface's plane, it first runs column(i, j, 0), if
/// given. Threads share the rows evenly, and process them in tiles sized for caches. A device runs
/// all columns, then all rows.
template <class Kernel, class Column>
void sweep(const ElasticExec &exec, const grid::Box &box, const Kernel &kernel,
           const Column *column) {
  if (exec.device) {
    if (column != nullptr) sweep_columns(exec, box, *column);
    return grid::parallel_for(*exec.device, box, kernel);
  }
  if (box.empty()) return;
  constexpr Index arrays = 30;
  const Index rows = rows_of_tile(box.extent(2), sizeof(typename Kernel::Value), arrays);
  // A thread processes one tile in all planes of its share, then the next tile.
  const grid::Box slabs((box.extent(1) + rows - 1) / rows, box.extent(0), 1);
  grid::detail::for_rows(exec.host, slabs, [&](Index tile, Index plane) {
    const WithoutDenormals flushed;
    const Index i = box.lo[0] + plane, j = box.lo[1] + tile * rows;
    const grid::Box slab({{i, j, box.lo[2]}}, {{i + 1, std::min(j + rows, box.hi[1]), box.hi[2]}});
    if (column != nullptr) columns_of(slab, *column);
    fastest_rows<Kernel>()(kernel, slab);
    if (exec.messages != nullptr) exec.messages->advance();
  });
}

} // namespace hybridfft::elastic
