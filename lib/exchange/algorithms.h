/// Functions that make exchanges by one algorithm. The table of algorithms (exchange.h) has the
/// other algorithms.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "exchange/block_order.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

// Exchange by messages in chunks. Messages of one chunk are in flight while the passes before and
// after work on other chunks. Choose it if the network takes much time and passes can hide it.

/// Numbers of chunks of a rank's rows, which are sent while later rows are written, and of a rank's
/// columns, which arrive one after another.
struct ChunkCounts {
  int rows = 1;
  int columns = 1;
};

/// Makes a pipelined exchange. The columns of each rank are divided into chunks, which arrive one
/// after another. The first chunk is sent in parts, as soon as the previous pass has written a
/// chunk of rows, so the network is busy during this pass. The other chunks are sent in large
/// messages after the last row, and arrive during the next pass. All receives are posted at the
/// start. Polling makes progress; MPI needs no threads for it. The receive buffer is in final
/// order. The next pass can therefore work in place, and its results do not need the send buffer.
std::unique_ptr<Exchange> make_pipelined(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

/// Makes a pipelined exchange with messages below MPI's eager limit. It applies only to several
/// nodes and full precision, unless forced.
std::unique_ptr<Exchange> make_eager(const Transposition &t,
                                     const std::shared_ptr<Communicator> &comm,
                                     const ExchangeOptions &options);

/// Returns the numbers of chunks: as many as possible without small messages.
ChunkCounts choose_chunks(const Transposition &t);

/// Makes a pipelined exchange with given numbers of chunks, for tests with small arrays.
std::unique_ptr<Exchange> make_pipelined_with(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options, ChunkCounts chunks);

// Exchange through the shared memory of a node. Choose it if all ranks are on one node: it copies
// no data.

/// Makes the exchange. Each rank writes into its window of shared memory, and the next pass reads
/// its data from all windows of the node: within a node nothing is copied. Each pair of nodes
/// exchanges one message, received into a second part of the windows. Returns nullptr if every node
/// has only one rank, or if it has no memory to share. The orders in the options are ignored: they
/// save work buffers, and windows need none.
std::unique_ptr<Exchange> make_shared_memory(const Transposition &t,
                                             const std::shared_ptr<Communicator> &comm,
                                             const ExchangeOptions &options);

// Exchange by MPI_Alltoallw. A derived datatype with 64-bit sizes describes each block in the
// buffers, so no pass packs data. Choose it for buffers without gaps (tight), and for counts beyond
// MPI's limit.

/// Makes an exchange by one MPI_Alltoallv between contiguous blocks. It uses MPI_Alltoallw if the
/// options require a row-major order without gaps, or if counts exceed MPI's limit. Collective.
/// Throws Failure on all ranks alike.
std::unique_ptr<Exchange> make_alltoallv(const Transposition &t,
                                         const std::shared_ptr<Communicator> &comm,
                                         const ExchangeOptions &options);

/// Makes an exchange of the blocks that `blocks()` returns. The function is passed by reference, so
/// the call allocates nothing. Collective. Throws Failure on all ranks alike.
/// \param name the text of describe()
std::unique_ptr<Exchange> make_alltoallw(const std::shared_ptr<Communicator> &comm,
                                         const std::function<PeerBlocks()> &blocks,
                                         std::ptrdiff_t largest_count, const char *name);

// Exchanges of several fields that alternate between two distributions: by rows and by columns of a
// matrix. The sweeps of operator plans use them.

/// The exchanges of all fields. All ranks free them at the same time.
struct FieldExchanges {
  std::vector<std::shared_ptr<Exchange>> forward;  ///< from rows to columns
  std::vector<std::shared_ptr<Exchange>> backward; ///< from columns to rows
  std::size_t element_bytes = 0;
};

/// Makes the exchanges of `fields` fields of the matrix rows.n() x columns.n() x vec. Ranks of one
/// node share one window with all fields, for both directions: no data move. Otherwise ranks send
/// messages. The environment variable HFFT_EXCHANGE forces an algorithm (`shared` on one node
/// only). Collective. Throws Failure on all ranks alike.
FieldExchanges make_field_exchanges(const Transposition &t, int fields,
                                    const std::shared_ptr<Communicator> &comm, int threads);

} // namespace hybridfft::exchange
