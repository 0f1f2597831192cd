/// Level-set solver of include/hybridfft/levelset, instantiated once for all programs of this
/// project. Also a loop over the points of the tube.
#pragma once

#include "hybridfft/levelset/solver.hpp"

namespace hybridfft::levelset {

extern template class Solver<float>;
extern template class Solver<double>;

/// Calls f(point) for each point of the tube T on this rank. Points have the indices i, j, k along
/// z, y, x. Local.
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

} // namespace hybridfft::levelset
