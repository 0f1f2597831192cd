/// Exchange by MPI_Alltoallw. Derived datatypes describe the place of every block with 64-bit
/// sizes, so no pass packs data. Choose it for tight buffers, and for counts beyond MPI's limit.
#pragma once

#include <functional>
#include <memory>

#include "exchange/block_order.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Makes an exchange by one MPI_Alltoallv between contiguous blocks. It uses MPI_Alltoallw if the
/// options require a tight order, or if counts exceed MPI's limit. Collective. Throws Failure on
/// all ranks alike.
std::unique_ptr<Exchange> make_alltoallv(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

/// Makes an exchange of the blocks returned by `blocks()`, passed by reference to avoid an
/// allocation. Collective. Throws Failure on all ranks alike.
/// \param name the text of describe()
std::unique_ptr<Exchange> make_alltoallw(const std::shared_ptr<Communicator> &comm,
                                         const std::function<PeerBlocks()> &blocks,
                                         std::ptrdiff_t largest_count, const char *name);

} // namespace hybridfft::exchange
