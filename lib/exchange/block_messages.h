/// Redistribution by messages. Any rank sends contiguous blocks of a buffer, of any sizes, to any
/// other. Choose it between layouts other than slabs.
#pragma once

#include <memory>
#include <vector>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Bytes of a buffer that are sent to a rank or received from it.
struct RankBytes {
  int rank = 0;
  std::ptrdiff_t first = 0;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t units = 1; ///< number of equal parts; a chunk consists of whole parts
};

/// Blocks sent and received by a rank. Sender and receiver have the same size and order of elements
/// for a block. There is at most one block from each rank and to each rank, including this rank
/// itself.
struct Redistribution {
  std::vector<RankBytes> sent, received;
  std::size_t real_bytes = 8; ///< bytes of each number in the blocks, 4 or 8
};

/// Options of make_block_messages().
struct BlockMessagesOptions {
  int tag = 0; ///< separates the exchanges of one plan, below ChunkedExchange::tags_of_execution
  int threads = 1;                        ///< threads for the self-copy and for converting numbers
  std::ptrdiff_t largest_count = INT_MAX; ///< MPI's limit; larger messages are derived types
  std::ptrdiff_t largest_message = 0;     ///< as in ExchangeOptions
  int chunks = 1;                         ///< messages per block; the same on all ranks
  /// Rows of the previous pass after which each chunk of all messages is complete, and rows of the
  /// next pass that need each chunk. The lists have one entry per chunk, or a single entry for all
  /// chunks.
  std::vector<std::ptrdiff_t> send_ends{1};
  std::vector<std::ptrdiff_t> receive_ends{1};
  WireFormat wire = WireFormat::full; ///< format of the messages
};

/// Makes an exchange with one message per block, or per chunk of a block; empty blocks have no
/// message. Passes can work between start() and finish(). Throws Failure(HFFT_ERROR_MPI). Not
/// collective.
std::unique_ptr<ChunkedExchange> make_block_messages(const std::shared_ptr<Communicator> &comm,
                                                     const Redistribution &redistribution,
                                                     const BlockMessagesOptions &options);

} // namespace hybridfft::exchange
