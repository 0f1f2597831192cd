/// Triangulates a front, the surface phi = 0, by marching tetrahedra. Viewers and printers read the
/// triangles.
///
/// Each cube of grid points is divided into six tetrahedra around its main diagonal. Tetrahedra of
/// adjacent cubes have the same faces. A closed front therefore becomes a closed surface, on any
/// number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// Triangle mesh: vertices (x, y, z in m) and three vertex numbers per triangle. Normals point
/// outward, to phi > 0.
struct TriangleMesh {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<std::int64_t, 3>> triangles;
};

/// Triangulates the cubes whose first point is on this rank. Local.
template <class Real> TriangleMesh surface_of(const Solver<Real> &solver, const Array<Real> &phi);

} // namespace hybridfft::levelset
