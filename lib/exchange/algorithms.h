/// The algorithms of the table (exchange.h), and functions that make exchanges by a certain
/// algorithm, for callers that do not select one from the table.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

// Each function is defined in the file of its algorithm.
namespace table {
Algorithm alltoallv();
Algorithm shared();
Algorithm pairwise();
Algorithm eager();
Algorithm pipelined();
Algorithm datatypes();
Algorithm swap();
Algorithm fftw();
} // namespace table

// Exchange by messages in chunks. Messages of one chunk are in flight while the passes before and
// after work on other chunks. Choose it if the network takes much time and the passes can hide this
// time.

/// Numbers of chunks of a rank. Chunks of its rows are sent while later rows are written; chunks of
/// its columns arrive one after another.
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

/// Returns the numbers of chunks: as many as possible without small messages.
ChunkCounts choose_chunks(const Transposition &t);

/// Makes a pipelined exchange with given numbers of chunks, for tests with small arrays.
std::unique_ptr<Exchange> make_pipelined_with(const Transposition &t,
                                              const std::shared_ptr<Communicator> &comm,
                                              const ExchangeOptions &options, ChunkCounts chunks);

// Redistribution by messages. Any rank sends contiguous blocks of a buffer, of any sizes, to any
// other. Choose it between layouts other than slabs.

/// Makes an exchange with one message per block, or per chunk of a block; empty blocks have no
/// message. Passes can work between start() and finish(). Throws Failure(HFFT_ERROR_MPI). Not
/// collective.
std::unique_ptr<ChunkedExchange> make_block_messages(const std::shared_ptr<Communicator> &comm,
                                                     const Redistribution &redistribution,
                                                     const BlockMessagesOptions &options);

// Exchange through the shared memory of a node. Choose it if all ranks are on one node: it copies
// no data.

/// Makes the exchange. Each rank writes into its window of shared memory, and the next pass reads
/// its data from all windows of the node: within a node nothing is copied. Each node sends one
/// message to each other node, which receives it in a second part of its windows. Returns nullptr
/// if every node has only one rank, or if shared memory is short. The orders in the options are
/// ignored: they save work buffers, and windows need none.
std::unique_ptr<Exchange> make_shared_memory(const Transposition &t,
                                             const std::shared_ptr<Communicator> &comm,
                                             const ExchangeOptions &options);

// Redistribution of blocks through the shared memory of a node. A pass writes the blocks into the
// segment of its rank, and the next pass of each rank reads its blocks from the segments of all
// ranks.

/// Blocks sent by a rank in one exchange.
struct SharedBlocksSide {
  std::size_t bytes = 0;       ///< size of the send buffer
  std::vector<RankBytes> sent; ///< blocks in the send buffer, one for each rank
};

/// An exchange, and the positions of the received blocks.
struct SharedBlocks {
  std::shared_ptr<Exchange> exchange;
  /// For each source rank, the distance in bytes from the exchange's window() to the block that it
  /// sends to this rank.
  std::vector<std::ptrdiff_t> distances;
};

/// Makes the exchanges of one plan, in the order of execution. Every rank has the same number of
/// exchanges. The exchanges use the two parts of a segment alternately, so all ranks have read the
/// former data of a part before an exchange writes to it. Returns nullptr on all ranks if the ranks
/// are on several nodes or memory is short. Collective. Throws Failure on all ranks alike.
std::unique_ptr<std::vector<SharedBlocks>>
make_shared_blocks(const std::shared_ptr<Communicator> &comm,
                   const std::vector<SharedBlocksSide> &exchanges, Pages pages);

// Exchanges of several fields that alternate between two distributions: by rows and by columns of a
// matrix. The sweeps of operator plans use them.

/// The exchanges of all fields. All ranks free them at the same time.
struct FieldExchanges {
  std::vector<std::shared_ptr<Exchange>> forward;  ///< from rows to columns
  std::vector<std::shared_ptr<Exchange>> backward; ///< from columns to rows
  std::size_t element_bytes = 0;
};

/// Makes the exchanges of `fields` fields of the matrix rows.n() x columns.n() x vec. If all ranks
/// are on one node, they share one window with all fields for both directions, and no data move.
/// Otherwise ranks send messages. The environment variable HFFT_EXCHANGE forces an algorithm
/// (`shared` on one node only). Collective. Throws Failure on all ranks alike.
FieldExchanges make_field_exchanges(const Transposition &t, int fields,
                                    const std::shared_ptr<Communicator> &comm, int threads);

} // namespace hybridfft::exchange
