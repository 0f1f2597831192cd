/// One MPI_Alltoallv between buffers ordered by destination and by source.
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

std::unique_ptr<Exchange> make_alltoallv(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

/// As above with another limit on MPI's counts and displacements than INT_MAX, so that the road
/// of larger messages can be tested on small arrays.
std::unique_ptr<Exchange> make_alltoallv_with_limit(const Transposition &t,
                                                    const std::shared_ptr<Communicator> &comm,
                                                    std::ptrdiff_t limit);

} // namespace hybridfft::exchange
