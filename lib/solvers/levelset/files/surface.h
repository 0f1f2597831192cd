/// Triangles of a front: phi = 0 by marching tetrahedra.
///
/// Each cube of points is six tetrahedra around its main diagonal, whose faces fit those of its
/// neighbours. A front that is closed within the grid gives a closed surface, on any ranks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// Points (x, y, z in m) and triples of their numbers; normals point outward, to phi > 0.
struct TriangleMesh {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<std::int64_t, 3>> triangles;
};

/// The triangles of the cubes whose first point is one of this rank's. Local.
/// \param phi of Solver::phi(), whose ghosts hold the neighbours' values
template <class Real> TriangleMesh surface_of(const Solver<Real> &solver, const Array<Real> &phi);

} // namespace hybridfft::levelset
