/// Exchange through the shared memory of a node. Choose it for ranks of one node: no data are
/// copied.
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Makes the exchange. Each rank writes into its window, and the next pass gathers its data there:
/// within a node nothing is copied. Between nodes one message travels per pair of nodes, into a
/// second part of the windows. Returns nullptr if every node has only one rank, or if it has no
/// memory to share. The orders in the options save work buffers of plans; windows need none, and
/// keep their own order.
std::unique_ptr<Exchange> make_shared_memory(const Transposition &t,
                                             const std::shared_ptr<Communicator> &comm,
                                             const ExchangeOptions &options);

} // namespace hybridfft::exchange
