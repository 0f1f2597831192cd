/// Executes an exchange by non-blocking messages, sent and received in chunks while passes work.
/// Choose it to hide the network time behind computation.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exchange/block_order.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// One message: a block of the send or receive buffer, and the rank that receives or sends it.
struct ScheduledMessage {
  int peer;
  int tag; ///< below ChunkedExchange::tags_of_execution
  Block block;
};

/// The messages of one rank, in the order in which passes write or need their data. For each pair
/// of ranks, messages with the same tag have the same order on both ranks.
struct MessageSchedule {
  std::vector<ScheduledMessage> sends, receives;
  /// The ends of chunks. After the previous pass has written send_ends[i] rows, the first
  /// sends_until[i] messages are sent. The next pass needs the first receives_until[i] messages for
  /// receive_ends[i] rows.
  std::vector<std::ptrdiff_t> send_ends, receive_ends;
  std::vector<std::size_t> sends_until, receives_until;
  /// Blocks that stay on the rank, one pair for each of receive_ends: the block in the send buffer
  /// and in the receive buffer.
  std::vector<std::pair<Block, Block>> self_copies;
  std::string text; ///< for describe()
};

/// Number format of blocks and messages.
struct MessageFormat {
  Order order{};
  std::size_t element_bytes = 0;
  int element_reals = 2;              ///< real numbers per element, for reduced precision
  WireFormat wire = WireFormat::full; ///< format of the messages
  bool round_self = false;            ///< also round data that stay on the rank
  int threads = 1; ///< number of threads for conversions and copies of contiguous blocks
  std::ptrdiff_t largest_count = INT_MAX; ///< MPI's limit
};

/// Makes the exchange of a schedule. `send` and `receive` are the matrices of the passes. Throws
/// Failure(HFFT_ERROR_MPI). Not collective.
std::unique_ptr<ChunkedExchange> make_messages(std::shared_ptr<Communicator> comm, SplitRows send,
                                               SplitRows receive, MessageSchedule schedule,
                                               const MessageFormat &format);

} // namespace hybridfft::exchange
