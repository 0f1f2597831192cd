/// The divergence of a vector field at the points of the pressure, in double precision. It computes
/// Q_term from the averaged intensity.
#pragma once

#include <functional>
#include <span>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"

namespace hybridfft::kspace {

/// Sums the derivatives along x, y and z, each a multiplication by i k in the spectrum. The Nyquist
/// bin of an even size is 0 because its wave has slope zero at the grid points. Double precision is
/// needed: for weakly absorbed waves the divergence is much smaller than its terms. For uniform
/// grids. The result has the same bits for any number of ranks. Collective. Throws
/// hybridfft::Error, std::bad_alloc.
/// \param component component(axis, values) fills a zeroed array in the layout of LocalGrid
template <class Real>
Field<Real> divergence(const Parameters &parameters, const LocalGrid &local,
                       const grid::Communicator &comm, grid::Host host,
                       const std::function<void(int axis, std::span<double> values)> &component);

} // namespace hybridfft::kspace
