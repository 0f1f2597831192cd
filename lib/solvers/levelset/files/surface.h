/// Triangulates a front, the surface phi = 0, by marching tetrahedra.
///
/// Each cube of grid points is divided into six tetrahedra around its main diagonal. Faces of
/// tetrahedra in adjacent cubes match. A closed front therefore gives a closed surface, on any
/// number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// Vertices (x, y, z in m), and three vertex numbers for each triangle. Normals point outward, to
/// phi > 0.
struct TriangleMesh {
  std::vector<std::array<float, 3>> points;
  std::vector<std::array<std::int64_t, 3>> triangles;
};

/// Triangulates the cubes with their first point on this rank. Local.
/// \param phi Solver::phi(); its ghosts must hold the neighbours' values
template <class Real> TriangleMesh surface_of(const Solver<Real> &solver, const Array<Real> &phi);

} // namespace hybridfft::levelset
