/// Writes fronts as sparse grids in OpenVDB files, for renderers such as Houdini and Blender.
/// Available if CMake found the library (HFFT_OPENVDB).
#pragma once

#include <string>

#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// True if this build can write OpenVDB files.
bool has_vdb();

/// Writes the points of T as a sparse grid "phi" in single precision, of OpenVDB's class level set.
/// The background is gamma outside and -gamma inside. Rank 0 holds the points of all ranks in
/// memory and writes them. Collective.
/// \throws io::IoError on all ranks; also if has_vdb() is false
template <class Real>
void write_vdb(const std::string &path, const Solver<Real> &solver, const Array<Real> &phi);

} // namespace hybridfft::levelset
