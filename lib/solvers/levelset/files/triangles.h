/// A front from a closed surface of triangles: STL files, and the signed distance near them.
#pragma once

#include <string>

#include "solvers/levelset/files/surface.h"

namespace hybridfft::levelset {

/// Reads the triangles of an STL file, text or binary, in m. Equal corners become one point. Local.
/// \throws Error(HFFT_ERROR_ARGUMENT) with the file, the value found and the value expected, also
/// for a surface that is not closed: its first open edge
TriangleMesh read_stl(const std::string &path);

/// Sets the distance to the nearest triangle, up to `reach`, at the points of a box: below 0 where
/// the surface winds around the point. Each value is independent of the box. Local.
template <class Real>
void set_signed_distance(const TriangleMesh &mesh, const Problem &problem, double reach,
                         const Box &box, const grid::View<Real> &phi);

} // namespace hybridfft::levelset
