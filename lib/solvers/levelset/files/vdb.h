/// OpenVDB files of fronts, where the library was found (CMake: HFFT_OPENVDB).
#pragma once

#include <string>

#include "solvers/levelset/solver.h"

namespace hybridfft::levelset {

/// True if this build writes OpenVDB files.
bool has_vdb();

/// Writes the points of T as a sparse grid "phi" in single precision, of OpenVDB's class level set.
/// The background is gamma, and -gamma inside. Rank 0 writes; it has the points of T of all ranks
/// in memory. Collective. \throws io::IoError on all ranks
template <class Real>
void write_vdb(const std::string &path, const Solver<Real> &solver, const Array<Real> &phi);

} // namespace hybridfft::levelset
