/// Triangulates a front, the surface phi = 0, by marching tetrahedra. Viewers and printers read the
/// triangles.
///
/// Each cube of grid points is divided into six tetrahedra around its main diagonal. Tetrahedra of
/// adjacent cubes have the same faces. A closed front therefore becomes a closed surface, on any
/// number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
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

// Makes a front from a closed surface of triangles: reads STL files and computes the signed
// distance near the surface. Geometry from CAD programs enters a run this way.

/// Reads the triangles of an STL file, text or binary, with coordinates in m. Equal corners become
/// one vertex. Local.
/// \throws Error(HFFT_ERROR_ARGUMENT) for an unreadable file or a surface with an open edge; the
/// message names the file, the value found and the value expected
TriangleMesh read_stl(const std::string &path);

/// Sets phi at the points of a box to the distance to the nearest triangle, at most `reach`. The
/// sign is negative at points with a nonzero winding number. A value does not depend on the box.
/// Local.
/// \param reach largest distance, m
template <class Real>
void set_signed_distance(const TriangleMesh &mesh, const Problem &problem, double reach,
                         const Box &box, const grid::View<Real> &phi);

// Writes fronts as sparse grids in OpenVDB files, for renderers such as Houdini and Blender.
// Builds can do this if CMake found the OpenVDB library (HFFT_OPENVDB).

/// True if this build can write OpenVDB files.
bool has_vdb();

/// Writes the points of T (see for_tube()) as a sparse grid "phi" in single precision, of OpenVDB's
/// class level set. The background is gamma outside and -gamma inside. Rank 0 holds the points of
/// all ranks in memory and writes them. Collective.
/// \throws io::IoError on all ranks; also if has_vdb() is false
template <class Real>
void write_vdb(const std::string &path, const Solver<Real> &solver, const Array<Real> &phi);

} // namespace hybridfft::levelset
