/// Work on datasets that are larger than memory: every rank has a part and handles it in pieces.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>

#include "io/hdf5.h"

namespace hybridfft::tools {

/// This rank's part of a dataset: it is cut in even blocks along the first axis that has a point
/// for every rank, else along the longest one. A scalar is everybody's.
io::Hyperslab my_part(const io::Shape &shape, MPI_Comm comm);

/// Calls step(piece) for pieces of at most `most` elements of each rank's part, on every rank
/// equally often, so that the step may be collective: ranks that are done get empty pieces. Shows
/// the progress under the label. Collective.
void for_pieces(const io::Hyperslab &part, std::size_t most, MPI_Comm comm,
                const std::string &label, const std::function<void(const io::Hyperslab &)> &step);

} // namespace hybridfft::tools
