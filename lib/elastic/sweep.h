/// Runs the work of kernels.h and surface_kernels.h on the threads of the host.
#pragma once

#include "elastic/surface_kernels.h"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::elastic {

/// Calls kernel(i, j, k) once for every index of the box, with the widest vectors of the processor,
/// and column(i, j, 0) before the row (i, j) of boxes that begin below the plane of a free surface,
/// if there is one. Threads share the rows in even parts, each of which goes through the box in
/// tiles of rows that caches can hold.
template <class Kernel, class Column>
void sweep(const grid::Host &host, const grid::Box &box, const Kernel &kernel,
           const Column *column);

} // namespace hybridfft::elastic
