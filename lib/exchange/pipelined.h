/// Messages in chunks that travel while the passes before and after work on other chunks.
#pragma once

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Numbers of chunks of the rows before the exchange, and of the columns after it.
struct ChunkCounts {
  int rows = 1;
  int columns = 1;
};

/// The columns of each rank are cut into chunks that arrive one after another. The data of the
/// first of them are sent in chunks of rows as soon as these are written, which keeps the wire busy
/// during the pass before; the rest leaves in large messages once all rows are written and arrives
/// during the pass after. All receives are posted at the start. Progress is made by polling: no
/// threads of MPI are relied on. The receive buffer is in final order, so that the pass after can
/// work in place and the send buffer is not needed for its results.
std::unique_ptr<Exchange> make_pipelined(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

/// The same in messages that MPI sends at once; between nodes only, unless it is forced, and in
/// full precision.
std::unique_ptr<Exchange> make_eager(const Transposition &t,
                                     const std::shared_ptr<Communicator> &comm,
                                     const ExchangeOptions &options);

/// The most chunks whose messages are not small.
ChunkCounts choose_chunks(const Transposition &t);

/// make_pipelined with other numbers of chunks, for tests on small arrays.
std::unique_ptr<Exchange> make_pipelined_with(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options, ChunkCounts chunks);

} // namespace hybridfft::exchange
