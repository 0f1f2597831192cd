/// Exchanges by non-blocking messages that are sent and received in chunks while passes work.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exchange/block_order.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// One message of a schedule: a block of the send or receive buffer, and the rank at its other end.
struct ScheduledMessage {
  int peer;
  int tag; ///< below ChunkedExchange::tags_of_execution
  Block block;
};

/// The messages of one rank, in the order in which they are needed. Messages between two ranks with
/// the same tag are in the same order on both.
struct MessageSchedule {
  std::vector<ScheduledMessage> sends, receives;
  /// Rows of the pass before at whose ends messages can be sent, and number of sends due then; rows
  /// of the pass after for which messages are needed, and number of receives that complete them.
  std::vector<std::ptrdiff_t> send_ends, receive_ends;
  std::vector<std::size_t> sends_until, receives_until;
  /// The self-copies, by receive_ends: the block in the send buffer, and in the receive buffer.
  std::vector<std::pair<Block, Block>> self_copies;
  std::string text; ///< for describe()
};

/// The numbers of which blocks are made, and how they travel.
struct MessageFormat {
  Order order{};
  std::size_t element_bytes = 0;
  int element_reals = 2;   ///< real numbers in an element, where their precision is reduced
  Wire wire = Wire::full;  ///< the format of the messages
  bool round_self = false; ///< self-copies are rounded as if they had travelled
  int threads = 1;         ///< number of threads that convert, and copy contiguous blocks
  std::ptrdiff_t largest_count = INT_MAX; ///< MPI's limit
};

/// The exchange that carries out a schedule. `send` and `receive` are the rows of the passes.
/// Throws Failure(HFFT_ERROR_MPI). No communication.
std::unique_ptr<ChunkedExchange> make_messages(std::shared_ptr<Communicator> comm, SplitRows send,
                                               SplitRows receive, MessageSchedule schedule,
                                               const MessageFormat &format);

} // namespace hybridfft::exchange
