/// A rewrite: messages of blocks go in chunks along the slowest axis, which passes write and read
/// one after another.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/step.h"

namespace hybridfft::plan {

/// Every exchange of blocks, into as many chunks as all ranks can have, each of them still worth a
/// message. Returns the number of exchanges that go in several. Collective. Throws Failure on all
/// ranks alike.
int chunk_messages(Steps &steps, const exchange::Communicator &comm);

/// Rows of the FFT before the exchange at `k` at which its chunks are complete, or of the one after
/// at which they are needed: as many as chunks, or the end of all rows where chunks are no rows.
std::vector<std::ptrdiff_t> send_ends(const Steps &steps, std::size_t k);
std::vector<std::ptrdiff_t> receive_ends(const Steps &steps, std::size_t k);

} // namespace hybridfft::plan
