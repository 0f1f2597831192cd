/// Non-blocking messages between ranks: single ones, and schedules of messages that are sent and
/// received in chunks while passes work. Choose schedules to hide the network time behind
/// computation.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mpi.h"
#include "exchange/block_order.h"
#include "exchange/exchange.h"
#include "exchange/mpi_handles.h"

namespace hybridfft::exchange {

// Size limits of the messages of an exchange. They keep messages below MPI's eager limit, and limit
// their number.

/// Size of an eager message in bytes. Over TCP MPI sends messages of up to 64 KiB, headers
/// included, at once. For a larger message it waits for a reply of the receiver. This reply is
/// queued behind all data from the receiver to the sender: megabytes with several exchanges or
/// chunks in flight.
inline constexpr std::ptrdiff_t eager_message = std::ptrdiff_t{60} << 10;

/// Largest number of messages that a rank sends in one exchange, to all other ranks together. Each
/// takes some hundred bytes in MPI.
inline constexpr std::ptrdiff_t max_messages = 16384;

/// Returns the size limit in bytes of a message, if a rank sends `bytes` to each of `ranks` ranks.
/// It is `wanted` (0: no limit), or larger if the limit would need too many messages. Sender and
/// receiver compute the same value.
inline std::ptrdiff_t message_limit(std::ptrdiff_t wanted, std::ptrdiff_t bytes, int ranks) {
  if (wanted == 0) return std::numeric_limits<std::ptrdiff_t>::max();
  const std::ptrdiff_t each = std::max<std::ptrdiff_t>(max_messages / ranks, 1);
  return std::max(wanted, bytes / each + (bytes % each != 0 ? 1 : 0));
}

// One non-blocking message between two ranks. MPI sends it directly from the buffer, or receives it
// into the buffer.

/// A block of a send or receive buffer, and the rank that receives or sends it.
class Message {
public:
  /// Makes a message. Tags separate messages between the same ranks. The block starts at `offset`
  /// bytes in the buffer; blocks of the same shape may share a type.
  Message(int peer, int tag, std::ptrdiff_t offset, std::shared_ptr<const Datatype> type)
      : peer_(peer), tag_(tag), offset_(offset), type_(std::move(type)) {}
  /// Makes a message of `bytes` contiguous bytes.
  Message(int peer, int tag, std::ptrdiff_t offset, int bytes)
      : peer_(peer), tag_(tag), count_(bytes), offset_(offset) {}
  Message(int peer, int tag, const Block &block, const Order &order, std::size_t element_bytes,
          std::ptrdiff_t largest_count)
      : Message(peer, tag, block.base * static_cast<std::ptrdiff_t>(element_bytes),
                std::make_shared<const Datatype>(
                    block_type(block, order, element_bytes, 0, largest_count))) {}

  /// Start the message; the caller completes `request`. The tag is first_tag plus the message's
  /// tag. Throw Failure(HFFT_ERROR_MPI).
  void send(const std::byte *buffer, MPI_Comm comm, int first_tag, MPI_Request &request) const {
    mpi::check(MPI_Isend(buffer + offset_, count_, type(), peer_, first_tag + tag_, comm, &request),
               "MPI_Isend");
  }
  void receive(std::byte *buffer, MPI_Comm comm, int first_tag, MPI_Request &request) const {
    mpi::check(MPI_Irecv(buffer + offset_, count_, type(), peer_, first_tag + tag_, comm, &request),
               "MPI_Irecv");
  }

private:
  MPI_Datatype type() const { return type_ ? type_->get() : MPI_BYTE; }

  int peer_;
  int tag_;
  int count_ = 1;
  std::ptrdiff_t offset_;
  std::shared_ptr<const Datatype> type_; ///< nullptr for bytes
};

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
  std::string text; ///< text of describe()
};

/// Makes the exchange of a schedule of messages of these blocks. Throws Failure(HFFT_ERROR_MPI).
/// Not collective.
std::unique_ptr<ChunkedExchange> make_messages(std::shared_ptr<Communicator> comm,
                                               const PeerBlocks &blocks, MessageSchedule schedule,
                                               const ExchangeOptions &options);

} // namespace hybridfft::exchange
