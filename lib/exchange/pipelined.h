/// Exchange by messages in chunks. They travel while the previous and the next pass work on other
/// chunks. Choose it if the network dominates and passes can hide it.
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Number of row chunks before the exchange, and of column chunks after it.
struct ChunkCounts {
  int rows = 1;
  int columns = 1;
};

/// Makes a pipelined exchange. The columns of each rank are cut into chunks, received one after
/// another. Data of the first chunk are sent in chunks of rows as soon as the rows are written, so
/// the network is busy during the previous pass. The other data are sent in large messages after
/// the last row, and arrive during the next pass. All receives are posted at the start. Polling
/// advances the messages; MPI needs no threads for it. The receive buffer is in final order. The
/// next pass can therefore work in place, and its results do not need the send buffer.
std::unique_ptr<Exchange> make_pipelined(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

/// Makes a pipelined exchange of messages below MPI's eager limit. It serves full precision between
/// nodes only, unless forced.
std::unique_ptr<Exchange> make_eager(const Transposition &t,
                                     const std::shared_ptr<Communicator> &comm,
                                     const ExchangeOptions &options);

/// Returns the maximum numbers of chunks without small messages.
ChunkCounts choose_chunks(const Transposition &t);

/// Makes a pipelined exchange with other numbers of chunks, for tests on small arrays.
std::unique_ptr<Exchange> make_pipelined_with(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options, ChunkCounts chunks);

} // namespace hybridfft::exchange
