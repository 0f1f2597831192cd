/// Boxes of equal loads for the ranks, and phi's way from one set of boxes to another.
#pragma once

#include <vector>

#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// Boxes with equal numbers of points of T, by cutting in halves again and again: neighbours on
/// this tree are neighbours in space. The same on all ranks. Collective, as all below.
/// \param phi of Solver::phi()
template <class Real>
std::vector<Box> balanced_boxes(const Solver<Real> &solver, const Array<Real> &phi);

/// Planes along x by the source paper's rule (26): they go to a rank until the next one would not
/// bring its points nearer to the mean.
template <class Real>
std::vector<Box> plane_boxes(const Solver<Real> &solver, const Array<Real> &phi);

/// The first plane of each worker and the end, by this rule. Local.
std::vector<Index> planes_of_workers(const std::vector<std::int64_t> &points, int workers);

/// Copies the inner values of `from` to the ranks that own them in `to`.
template <class Real>
void redistribute(const grid::Communicator &comm, const Array<Real> &from, Array<Real> &to);

} // namespace hybridfft::levelset
