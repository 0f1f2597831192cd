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

/// Writes `path` in version 1.2 of k-Wave's format (see k-Wave's documentation of HDF5 input
/// files). In two dimensions the file has no datasets of z except Nz = 1. Every rank computes its
/// own planes of z in bounded memory. The datasets do not depend on the number of ranks.
/// Collective.
///
/// The pressure source s is scaled as in k-Wave's toolbox: s 2 dt / (D c dx) for an additive
/// source, and s / (D c^2) for a prescribed pressure. D is the number of dimensions and c the sound
/// speed at the first source point.
/// \throws io::IoError, or std::invalid_argument if no grid point lies on the bowl, on all ranks
/// alike; no file remains then
Written write_file(const Scene &scene, const std::string &path, MPI_Comm comm);

} // namespace hybridfft::tools::phantom
