/// Redistributions: contiguous blocks of a buffer, of any sizes and between any ranks.
#pragma once

#include <memory>
#include <vector>

#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Bytes of a buffer that go to a rank or come from it.
struct RankBytes {
  int rank = 0;
  std::ptrdiff_t first = 0;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t units = 1; ///< equal parts of which chunks are made
};

/// The blocks that a rank sends and receives. A block has as many bytes as its receiver expects, in
/// the same order; there is at most one block for each rank, also for this one.
struct Redistribution {
  std::vector<RankBytes> sent, received;
  std::size_t real_bytes = 8; ///< bytes of each number in the blocks, 4 or 8
};

/// Options of make_block_messages().
struct BlockMessagesOptions {
  int tag = 0; ///< distinguishes the exchanges of a plan, below ChunkedExchange::tags_of_execution
  int threads = 1;                        ///< threads for the self-copy and for converting numbers
  std::ptrdiff_t largest_count = INT_MAX; ///< MPI's limit; larger messages are derived types
  std::ptrdiff_t largest_message = 0;     ///< as of ExchangeOptions
  int chunks = 1;                         ///< messages per block; the same on all ranks
  /// Rows of the pass before at which the chunks of all messages are complete, and rows of the pass
  /// after for which they are needed: as many as chunks, or one that stands for all.
  std::vector<std::ptrdiff_t> send_ends{1};
  std::vector<std::ptrdiff_t> receive_ends{1};
  Wire wire = Wire::full; ///< the format of the messages
};

/// One message per block, or per chunk of a block; empty blocks are no messages. The exchange can
/// be started and finished apart, so that passes work in between. Throws Failure(HFFT_ERROR_MPI).
/// No communication.
std::unique_ptr<ChunkedExchange> make_block_messages(const std::shared_ptr<Communicator> &comm,
                                                     const Redistribution &redistribution,
                                                     const BlockMessagesOptions &options);

} // namespace hybridfft::exchange
