/// Writes descriptions of an output for viewers: XDMF, VTK's image and surface formats, and STL.
/// They are separate files in the output's folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/levelset/files/output.h"
#include "solvers/levelset/files/simulation.h"

namespace hybridfft::levelset {

/// A front in an output: a snapshot, or the front at the end of the run.
struct FrontFrame {
  std::string group; ///< group of its datasets, with "/" at the end; empty for the end of the run
  std::int64_t step = 0;
  double time = 0;
  Index tile = 0;              ///< tile edge in points; 0: the output has an array of all points
  std::vector<Index3> tiles{}; ///< places of the tiles in the output (TileTable), if tile > 0
};

/// Returns the names of all files written beside a run's output, without files of single snapshots.
std::vector<std::string> files_beside(const std::string &output, const Formats &formats, bool xdmf);

/// Returns the XDMF text with phi in all frames and the medium. Omits a snapshot of the last step,
/// because the last frame is the same front. Local.
/// \param bytes  bytes of a value of phi
/// \param medium true if the output has sound_speed and density
std::string description(const std::string &output, const Problem &problem,
                        const std::vector<FrontFrame> &frames, std::size_t bytes, bool medium);

/// Writes the last frame in the requested formats, as OUTPUT.000010.vti and so on (OUTPUT.vti at
/// the end of the run). Writes the list of all frames, OUTPUT.pvd. Collective. Throws io::IoError.
template <class Real>
void write_formats(const std::string &output, const Formats &formats,
                   const std::vector<FrontFrame> &frames, const Solver<Real> &solver,
                   const Array<Real> &phi);

} // namespace hybridfft::levelset
