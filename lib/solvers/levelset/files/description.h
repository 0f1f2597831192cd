/// Files beside an output: XDMF, VTK's image and surface formats, and STL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/levelset/files/output.h"
#include "solvers/levelset/files/simulation.h"

namespace hybridfft::levelset {

/// A front of a run in an output.
struct FrontFrame {
  std::string group; ///< empty for the end
  std::int64_t step = 0;
  double time = 0;
};

/// The names of all files of a run beside its output, except of single snapshots.
std::vector<std::string> files_beside(const std::string &output, const Formats &formats, bool xdmf);

/// XDMF of phi in all frames, and of the medium. Local.
std::string description(const std::string &output, const Problem &problem,
                        const std::vector<FrontFrame> &frames, std::size_t bytes, bool medium);

/// Writes the last of the frames in the formats, OUTPUT.000010.vti and so on (OUTPUT.vti for the
/// end), and the list of all of them, OUTPUT.pvd. Collective. Throws io::IoError.
template <class Real>
void write_formats(const std::string &output, const Formats &formats,
                   const std::vector<FrontFrame> &frames, const Solver<Real> &solver,
                   const Array<Real> &phi);

} // namespace hybridfft::levelset
