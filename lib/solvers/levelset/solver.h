/// Level-set solver of include/hybridfft/levelset, instantiated once for all programs of this
/// project. Also a loop over the points of the tube.
#pragma once

#include "hybridfft/levelset/solver.hpp"

namespace hybridfft::levelset {

extern template class Solver<float>;
extern template class Solver<double>;

/// Calls f(point) for each of this rank's points in the tube T, the points with |phi| < gamma. A
/// point has the indices i, j, k along z, y, x. Local.
/// \param phi array of Solver::phi()
template <class Real, class F>
void for_tube(const Solver<Real> &solver, const Array<Real> &phi, const F &f) {
  const grid::View<const Real> v = phi.view();
  const auto gamma = static_cast<Real>(solver.problem().gamma);
  for (const Box &tile : solver.active_tiles())
    for (Index i = tile.lo[0]; i < tile.hi[0]; ++i)
      for (Index j = tile.lo[1]; j < tile.hi[1]; ++j)
        for (Index k = tile.lo[2]; k < tile.hi[2]; ++k)
          if (magnitude(v(i, j, k)) < gamma) f(Index3{{i, j, k}});
}

// Makes a front from a labelled image (segmentation): the surface around all points with one
// label. The smooth front replaces the staircase of the voxels, for example to assign media.

/// Default number of pseudo-time steps that turn a mask of points into a signed distance.
inline constexpr int label_iterations = 24;

/// Sets the front around the points with the value `label`: phi is -h/2 at these points and h/2
/// elsewhere, and is then reinitialised. Collective.
/// \param labels     label of each point; array of make_host_array()
/// \param iterations pseudo-time steps of the reinitialisation
template <class Real>
void set_label(Solver<Real> &solver, const Array<Real> &labels, Real label,
               int iterations = label_iterations) {
  Array<Real> first = solver.make_host_array();
  const grid::View<const Real> from = labels.view();
  const grid::View<Real> v = first.view();
  const auto half = static_cast<Real>(solver.problem().h / 2);
  grid::parallel_for(grid::Host{1}, solver.box(), [=](Index i, Index j, Index k) {
    v(i, j, k) = from(i, j, k) == label ? -half : half;
  });
  solver.set(first);
  if (iterations > 0) solver.reinitialise(iterations);
}

} // namespace hybridfft::levelset
