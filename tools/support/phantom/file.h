/// The phantom as a k-Wave input file.
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

/// Writes `path` in k-Wave's format 1.2 (docs of k-Wave: HDF5 input files), a linear lossless run
/// in 3D, or in 2D, which has no z but Nz = 1; every rank makes its own planes of z in bounded
/// memory. The datasets do not depend on the number of ranks. Collective. Throws io::IoError, or
/// std::invalid_argument when no grid point lies on the bowl, on all ranks alike; then no file is
/// left.
///
/// The pressure source is scaled as k-Wave's toolbox scales it: s 2 dt / (D c dx) when it adds,
/// s / (D c^2) when it enforces, D being the dimensions and c that of the first source point.
Written write_file(const Scene &scene, const std::string &path, MPI_Comm comm);

} // namespace hybridfft::tools::phantom
