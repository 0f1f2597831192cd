/// Writes the phantom as a k-Wave input file.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

#include "support/phantom/scene.h"

namespace hybridfft::tools::phantom {

struct Written {
  std::uint64_t source_points = 0;
  std::uint64_t sensor_points = 0;
};

/// Writes `path` in k-Wave's format 1.2 (docs of k-Wave: HDF5 input files): a linear lossless run
/// in 3D, or in 2D with no z except Nz = 1. Every rank makes its own planes of z in bounded memory.
/// The datasets do not depend on the number of ranks. Collective.
///
/// The pressure source is scaled like k-Wave's toolbox: s 2 dt / (D c dx) for an adding source, s /
/// (D c^2) for an enforcing one. D is the number of dimensions and c the speed at the first source
/// point.
/// \throws io::IoError, or std::invalid_argument if no grid point lies on the bowl, on all ranks
/// alike; then no file remains
Written write_file(const Scene &scene, const std::string &path, MPI_Comm comm);

} // namespace hybridfft::tools::phantom
