/// MPI_Alltoallw: derived datatypes describe the place of every block, in 64 bits; no pass packs.
#pragma once

#include <functional>
#include <memory>

#include "exchange/block_order.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// One MPI_Alltoallv between contiguous blocks; MPI_Alltoallw instead if the options require a
/// tight order, or counts exceed MPI's limit. Collective. Throws Failure on all ranks alike.
std::unique_ptr<Exchange> make_alltoallv(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

/// Exchanges the blocks that `blocks()` returns; it is a reference, for which no memory is taken.
/// \param name the text of describe(). Collective. Throws Failure on all ranks alike.
std::unique_ptr<Exchange> make_alltoallw(const std::shared_ptr<Communicator> &comm,
                                         const std::function<PeerBlocks()> &blocks,
                                         std::ptrdiff_t largest_count, const char *name);

} // namespace hybridfft::exchange
