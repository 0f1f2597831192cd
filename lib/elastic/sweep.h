/// Runs the work of kernels.h and surface_kernels.h.
#pragma once

#include "elastic/exec.h"
#include "elastic/surface_kernels.h"

namespace hybridfft::elastic {

/// Calls kernel(i, j, k) once for every index of the box, with the widest vectors of the processor,
/// and column(i, j, 0) before the row (i, j) of boxes that begin below the plane of a free surface,
/// if there is one. Threads share the rows in even parts, each of which goes through the box in
/// tiles of rows that caches can hold. A device computes all columns, then all rows.
template <class Kernel, class Column>
void sweep(const Exec &exec, const grid::Box &box, const Kernel &kernel, const Column *column);

/// Calls column(i, j, 0) for the rows of a box that begins below the plane of a free surface.
template <class Column> void sweep_columns(const Exec &exec, grid::Box box, const Column &column) {
  if (box.empty() || box.lo[2] != 1) return;
  box.lo[2] = 0;
  box.hi[2] = 1;
  for_points(exec, box, column);
}

} // namespace hybridfft::elastic
