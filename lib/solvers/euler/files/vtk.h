/// Writes states as VTK XML files for ParaView: an image for each leaf, a list of the images, and a
/// list of times. Suited to small meshes; XDMF describes any mesh without further files of values.
#pragma once

#include <string>
#include <vector>

#include "solvers/euler/files/output.h"

namespace hybridfft::euler {

/// Largest number of leaves for which a state is written as VTK files. Each leaf is a file.
inline constexpr std::size_t max_vtk_leaves = 10000;

/// Writes the current state, described by the last frame: OUTPUT.vtk/000100.vtm with its images
/// (end.vtm at the end of the run), and the list of all frames, OUTPUT.pvd. Collective.
/// \throws io::IoError on all ranks
template <class Real>
void write_vtk(const std::string &output, const std::vector<SavedState> &frames,
               Solver<Real> &solver);

} // namespace hybridfft::euler
