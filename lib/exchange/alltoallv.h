/// One MPI_Alltoallv between contiguous blocks.
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// MPI_Alltoallw instead where a tight order is asked for, or counts exceed MPI's limit.
std::unique_ptr<Exchange> make_alltoallv(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

} // namespace hybridfft::exchange
