/// Contiguous blocks of a buffer sent to other ranks: one message per pair of ranks, of any size,
/// whoever has data for whom.
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

struct BlockMessagesOptions {
  int tag = 0;     ///< tells exchanges of a plan apart, below ChunkedExchange::tags_of_execution
  int threads = 1; ///< that copy what a rank sends to itself
  std::ptrdiff_t largest_count = INT_MAX; ///< of MPI; larger messages are derived types
  std::ptrdiff_t largest_message = 0;     ///< as of ExchangeOptions
  int chunks = 1; ///< of each message, which is as many messages then; the same on all ranks
  /// Rows of the pass before at which the chunks of all messages are complete, and rows of the pass
  /// after for which they are needed: as many as chunks, or one that stands for all.
  std::vector<std::ptrdiff_t> send_ends{1};
  std::vector<std::ptrdiff_t> receive_ends{1};
};

/// What goes to a rank is as much as this one expects, in the same order; empty blocks are no
/// messages. It can be started and finished apart, so that passes work in between. Throws
/// Failure(HFFT_ERROR_MPI). No communication.
std::unique_ptr<ChunkedExchange> make_block_messages(const std::shared_ptr<Communicator> &comm,
                                                     const std::vector<RankBytes> &sent,
                                                     const std::vector<RankBytes> &received,
                                                     const BlockMessagesOptions &options);

} // namespace hybridfft::exchange
