/// Exchange through the memory that the ranks of a node share.
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Each rank writes into its window, from which the pass after gathers its data: within a node
/// nothing is moved. Between nodes one message travels per pair of nodes, into a second part of the
/// windows. Not offered (nullptr) where every node has one rank only, or no memory to share. The
/// orders in the options save work buffers of plans; windows need none, and keep their own order.
std::unique_ptr<Exchange> make_shared_memory(const Transposition &t,
                                             const std::shared_ptr<Communicator> &comm,
                                             const ExchangeOptions &options);

} // namespace hybridfft::exchange
