/// Processes datasets larger than memory: each rank processes its part in pieces.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>

#include "io/hdf5.h"

namespace hybridfft::tools {

/// Returns this rank's part of a dataset. The dataset is divided evenly along the first axis with a
/// point for every rank, else along the longest axis. Each rank gets all of a scalar.
io::Hyperslab my_part(const io::Shape &shape, MPI_Comm comm);

/// Calls step(piece) for pieces of this rank's part, with at most `most` elements each. All ranks
/// call it equally often, so it may be collective; finished ranks get empty pieces. Shows progress
/// with `label`. Collective.
void for_pieces(const io::Hyperslab &part, std::size_t most, MPI_Comm comm,
                const std::string &label, const std::function<void(const io::Hyperslab &)> &step);

} // namespace hybridfft::tools
