/// Non-blocking messages between pairs of ranks in rounds.
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// In each round every rank has one partner (powers of two) or one to send to and one to receive
/// from, so that no rank is flooded; the next round is under way while one is waited for.
std::unique_ptr<Exchange> make_pairwise(const Transposition &t,
                                        const std::shared_ptr<Communicator> &comm,
                                        const ExchangeOptions &options);

} // namespace hybridfft::exchange
