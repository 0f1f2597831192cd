/// Makes a front from a closed surface of triangles: reads STL files and computes the signed
/// distance near the surface. Geometry from CAD programs enters a run this way.
#pragma once

#include <string>

#include "solvers/levelset/files/surface.h"

namespace hybridfft::levelset {

/// Reads the triangles of an STL file, text or binary, with coordinates in m. Equal corners become
/// one vertex. Local.
/// \throws Error(HFFT_ERROR_ARGUMENT) for an unreadable file or a surface with an open edge; names
/// the file, the value found and the value expected
TriangleMesh read_stl(const std::string &path);

/// Sets phi at the points of a box to the distance to the nearest triangle, at most `reach`. The
/// sign is negative at points with a nonzero winding number. A value does not depend on the box.
/// Local.
/// \param reach largest distance, m
template <class Real>
void set_signed_distance(const TriangleMesh &mesh, const Problem &problem, double reach,
                         const Box &box, const grid::View<Real> &phi);

} // namespace hybridfft::levelset
