/// Processes datasets larger than memory: every rank has a part and processes it in pieces.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>

#include "io/hdf5.h"

namespace hybridfft::tools {

/// This rank's part of a dataset. The dataset is divided evenly along the first axis that has a
/// point for every rank, else along the longest axis. Every rank has all of a scalar.
io::Hyperslab my_part(const io::Shape &shape, MPI_Comm comm);

/// Calls step(piece) for pieces of at most `most` elements of each rank's part. All ranks make the
/// same number of calls, so the step may be collective; finished ranks get empty pieces. Shows
/// progress under the label. Collective.
void for_pieces(const io::Hyperslab &part, std::size_t most, MPI_Comm comm,
                const std::string &label, const std::function<void(const io::Hyperslab &)> &step);

} // namespace hybridfft::tools
