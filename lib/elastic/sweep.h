/// Runs the work of kernels.h and surface_kernels.h on the threads of the host.
#pragma once

#include "elastic/kernels.h"
#include "hybridfft/grid/parallel_for.hpp"

namespace hybridfft::elastic {

/// Calls kernel(i, j, k) once for every index of the box, with the widest vectors of the processor.
/// Threads share the rows in even parts, each of which goes through the box in columns of rows that
/// caches can hold.
template <class Kernel>
void sweep(const grid::Host &host, const grid::Box &box, const Kernel &kernel);

extern template void sweep(const grid::Host &, const grid::Box &, const kernels::Velocity<float> &);
extern template void sweep(const grid::Host &, const grid::Box &,
                           const kernels::Velocity<double> &);
extern template void sweep(const grid::Host &, const grid::Box &, const kernels::Stress<float> &);
extern template void sweep(const grid::Host &, const grid::Box &, const kernels::Stress<double> &);
extern template void sweep(const grid::Host &, const grid::Box &,
                           const kernels::AnelasticStress<float> &);
extern template void sweep(const grid::Host &, const grid::Box &,
                           const kernels::AnelasticStress<double> &);

} // namespace hybridfft::elastic
