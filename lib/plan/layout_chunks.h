/// Messages between layouts in chunks along the slowest axis, which passes write and read one after
/// another.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/layout_steps.h"

namespace hybridfft::plan {

/// In how many chunks the messages of the exchange at `k` can go on this rank, each of them still
/// worth a message. The number must be the same on all ranks.
int most_chunks(const std::vector<LayoutStep> &steps, std::size_t k);

/// Rows of the FFT before the exchange at `k` at which its chunks are complete, or of the one after
/// at which they are needed: as many as chunks, or the end of all rows where chunks are no rows.
std::vector<std::ptrdiff_t> send_ends(const std::vector<LayoutStep> &steps, std::size_t k);
std::vector<std::ptrdiff_t> receive_ends(const std::vector<LayoutStep> &steps, std::size_t k);

} // namespace hybridfft::plan
