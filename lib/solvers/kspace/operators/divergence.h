/// Divergence of a vector field in double precision. Computes Q_term from the averaged intensity.
#pragma once

#include <functional>
#include <span>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

/// Returns the sum of the derivatives along x, y and z at the pressure points. A derivative
/// multiplies the spectrum by i k. The Nyquist bin of an even size becomes 0, because its wave has
/// slope zero at the grid points. Double precision is needed: for weakly absorbed waves the
/// divergence is much smaller than its terms. For uniform grids. The result has the same bits for
/// any number of ranks. Collective. Throws hybridfft::Error, std::bad_alloc.
/// \param component component(axis, values) sets one vector component in a zeroed array, in the
/// layout of LocalGrid
template <class Real>
Field<Real> divergence(const Parameters &parameters, const LocalGrid &local,
                       const grid::Communicator &comm, grid::Host host,
                       const std::function<void(int axis, std::span<double> values)> &component);

} // namespace hybridfft::kspace
