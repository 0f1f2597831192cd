/// Makers of exchanges by an algorithm. The table of algorithms has the others (exchange.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "exchange/block_order.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

// Exchange by messages in chunks. They travel while the previous and the next pass work on other
// chunks. Choose it if the network dominates and passes can hide it.

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

// Exchange through the shared memory of a node. Choose it for ranks of one node: no data are
// copied.

/// Makes the exchange. Each rank writes into its window, and the next pass gathers its data there:
/// within a node nothing is copied. Between nodes one message travels per pair of nodes, into a
/// second part of the windows. Returns nullptr if every node has only one rank, or if it has no
/// memory to share. The orders in the options save work buffers of plans; windows need none, and
/// keep their own order.
std::unique_ptr<Exchange> make_shared_memory(const Transposition &t,
                                             const std::shared_ptr<Communicator> &comm,
                                             const ExchangeOptions &options);

// Exchange by MPI_Alltoallw. Derived datatypes describe the place of every block with 64-bit
// sizes, so no pass packs data. Choose it for tight buffers, and for counts beyond MPI's limit.

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

// Exchanges of fields that go back and forth between two distributions. Operator plans use them:
// their sweeps alternate between the rows and the columns.

/// Exchanges of each field. Ranks free them together.
struct FieldExchanges {
  std::vector<std::shared_ptr<Exchange>> forward;  ///< from rows to columns
  std::vector<std::shared_ptr<Exchange>> backward; ///< from columns to rows
  std::size_t element_bytes = 0;
};

/// Makes the exchanges of `fields` fields of the matrix rows.n() x columns.n() x vec. Ranks of one
/// node share one window, with all fields and both directions: no data move. Others send messages.
/// The environment variable HFFT_EXCHANGE forces an algorithm (`shared` on one node only).
/// Collective. Throws Failure on all ranks alike.
FieldExchanges make_field_exchanges(const Transposition &t, int fields,
                                    const std::shared_ptr<Communicator> &comm, int threads);

} // namespace hybridfft::exchange
