/// Load balancing of a front: partitions of the grid with equal numbers of points of T, the tube
/// |phi| < gamma, per rank, and the transfer of phi between two partitions. The front moves, so
/// boxes with equal work soon have unequal work. Recursive bisection is the default; slabs of
/// planes serve comparisons with Wang (arXiv:1612.04040).
#pragma once

#include <vector>

#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// Divides the grid into one box per rank with nearly equal numbers of points of T, by recursive
/// coordinate bisection. Returns the same boxes on all ranks. Boxes are empty where the bisection
/// assigns more ranks to a part than it has grid points. Collective.
/// \param phi array of Solver::phi()
template <class Real>
std::vector<Box> balanced_boxes(const Solver<Real> &solver, const Array<Real> &phi);

/// Divides the grid into slabs of planes along x by planes_of_workers(). Returns one box per rank,
/// the same on all ranks. Collective.
/// \param phi array of Solver::phi()
template <class Real>
std::vector<Box> plane_boxes(const Solver<Real> &solver, const Array<Real> &phi);

/// Assigns consecutive planes to workers by rule (26) of Wang (arXiv:1612.04040). A worker takes
/// planes until one more would not bring its load nearer to the mean. Local.
/// \param points number of points of T in each plane
/// \return first plane of each worker, then the number of planes: workers + 1 values
std::vector<Index> planes_of_workers(const std::vector<std::int64_t> &points, int workers);

/// Copies the values of `from`, without ghosts, to the ranks that own the points in `to`. Both are
/// host arrays. Collective.
template <class Real>
void redistribute(const grid::Communicator &comm, const Array<Real> &from, Array<Real> &to);

} // namespace hybridfft::levelset
