/// MPI_Alltoallw: derived datatypes say where every block lies, in 64 bits; no pass packs.
#pragma once

#include "exchange/block_order.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Between any orders of the buffers, under the name that describe() shall give.
std::unique_ptr<Exchange> make_alltoallw(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const Order &order, std::ptrdiff_t largest_count,
                                         const char *name);

} // namespace hybridfft::exchange
