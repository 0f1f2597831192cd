/// The divergence of a field of vectors at the points of the pressure, in double precision.
#pragma once

#include <functional>
#include <span>

#include "hybridfft/grid/parallel_for.hpp"
#include "kspace/base/field.h"
#include "kspace/base/parameters.h"

namespace hybridfft::kspace {

/// Sum of the derivatives along x, y and z, each by multiplication with i k in the spectrum (0 in
/// the Nyquist bin of an even size: that wave has no slope at the points of the grid). For uniform
/// grids. Transforms in double precision: where waves are little absorbed, the divergence of their
/// intensity is much smaller than its terms.
/// The same bits for any number of ranks. Throws hybridfft::Error, std::bad_alloc. Collective.
/// \param component component(axis, values) fills a zeroed array in the layout of LocalGrid
template <class Real>
Field<Real> divergence(const Parameters &parameters, const LocalGrid &local,
                       const grid::Communicator &comm, grid::Host host,
                       const std::function<void(int axis, std::span<double> values)> &component);

} // namespace hybridfft::kspace
