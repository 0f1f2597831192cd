/// Files beside an output: XDMF, VTK's image and surface formats, and STL.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/levelset/files/output.h"
#include "solvers/levelset/files/simulation.h"

namespace hybridfft::levelset {

/// A front saved in an output.
struct FrontFrame {
  std::string group; ///< empty at the end of the run
  std::int64_t step = 0;
  double time = 0;
  Index tile = 0;              ///< edge of the tiles; 0: the output has an array of all points
  std::vector<Index3> tiles{}; ///< of the band, if the output has no such array
};

/// Returns the names of all files written beside a run's output, without files of single snapshots.
std::vector<std::string> files_beside(const std::string &output, const Formats &formats, bool xdmf);

/// Returns the XDMF text for phi in all frames and for the medium. A snapshot of the last step is
/// left out, because the output has this front at the end. Local.
/// \param bytes of a value
std::string description(const std::string &output, const Problem &problem,
                        const std::vector<FrontFrame> &frames, std::size_t bytes, bool medium);

/// Writes the last frame in the requested formats, as OUTPUT.000010.vti and so on (OUTPUT.vti at
/// the end of the run). Writes the list of all frames, OUTPUT.pvd. Collective. Throws io::IoError.
template <class Real>
void write_formats(const std::string &output, const Formats &formats,
                   const std::vector<FrontFrame> &frames, const Solver<Real> &solver,
                   const Array<Real> &phi);

} // namespace hybridfft::levelset
