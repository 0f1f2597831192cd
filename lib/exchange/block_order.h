/// Buffers in the order of the ranks that blocks go to or come from.
#pragma once

#include <cstddef>
#include <vector>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Send buffer: for each destination its columns of all my rows, row-major, one after another.
SplitRows by_destination(const Transposition &t, int rank);
/// Receive buffer: for each source my columns of all its rows, as the source stored them.
SplitRows by_source(const Transposition &t, int rank);

/// Points (of vec elements) that this rank sends to each rank, or receives from each.
std::vector<std::ptrdiff_t> send_counts(const Transposition &t, int rank);
std::vector<std::ptrdiff_t> receive_counts(const Transposition &t, int rank);

} // namespace hybridfft::exchange
