/// States in VTK's XML files: an image for each leaf, a list of the images, and a list of times.
#pragma once

#include <string>
#include <vector>

#include "solvers/euler/files/output.h"

namespace hybridfft::euler {

/// Largest number of leaves of a state written as VTK files, since each leaf is a file.
inline constexpr std::size_t max_vtk_leaves = 10000;

/// Writes the last frame, which is the present state: OUTPUT.vtk/000100.vtm (end.vtm for the end)
/// with its images, and all frames with such a file in OUTPUT.pvd. Collective. Throws io::IoError
/// on all ranks.
template <class Real>
void write_vtk(const std::string &output, const std::vector<SavedState> &frames,
               Solver<Real> &solver);

} // namespace hybridfft::euler
