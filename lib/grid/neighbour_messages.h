/// Messages of fixed sizes between neighbouring ranks, exchanged repeatedly: through shared memory
/// within a node, by MPI between nodes.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/shared_memory.h"
#include "exchange/communicator.h"
#include "grid/message_requests.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// A one-way channel: two buffers used alternately, and two counters. The sender counts the
/// messages it has written, the receiver the messages it has read. Each side stores its counter
/// with release order after its work on a buffer. The other side loads the counter with acquire
/// order before it accesses the buffer:
///
///     sender                                receiver
///     await_read(n - 2)                     await_written(n)      acquire, ends after A
///     write buffer n % 2                    read buffer n % 2
///     written(n)             release, A     read(n)               release
///
/// A buffer is therefore never written while it is read, and only read after it is written. If
/// several threads access a buffer, they are joined before the counter is stored. With two buffers,
/// await_read waits only if the receiver is two messages behind. If two ranks send messages to each
/// other, await_read never waits. Each rank stores read(n - 2) before it sends its own message
/// n - 1. The other rank receives this message before it sends its message n.
class SharedChannel {
public:
  SharedChannel() = default;
  /// \param pages bytes_for(message_bytes) bytes, zeroed
  SharedChannel(Mapping pages, Index message_bytes);

  /// True if the channel has memory.
  explicit operator bool() const { return pages_.data() != nullptr; }

  /// Size of a channel in bytes, rounded up to whole pages.
  static std::size_t bytes_for(Index message_bytes);

  /// All memory of the channel.
  std::span<std::byte> pages() const { return {pages_.data(), pages_.bytes()}; }

  /// Buffer of messages with even (turn 0) or odd (turn 1) numbers, aligned to 64 bytes.
  std::byte *buffer(int turn) const;

  /// Records that the sender has written `message`. Messages are counted from 1.
  void written(std::uint64_t message) const { store(counts().written, message); }
  /// True if the sender has written `message`.
  bool is_written(std::uint64_t message) const {
    return std::atomic_ref(counts().written).load(std::memory_order_acquire) >= message;
  }
  /// Records that the receiver has read `message`.
  void read(std::uint64_t message) const { store(counts().read, message); }
  /// await_written() waits until the sender has written `message`; await_read() waits until the
  /// receiver has read it. Both call MPI with `comm` meanwhile to advance other messages of this
  /// rank, because the other rank may wait for them. Throw Error.
  void await_written(std::uint64_t message, MPI_Comm comm) const {
    await(counts().written, message, comm);
  }
  void await_read(std::uint64_t message, MPI_Comm comm) const {
    await(counts().read, message, comm);
  }

private:
  using Count = std::uint64_t;
  static_assert(std::atomic_ref<Count>::is_always_lock_free, "other processes see the counts too");
  /// The two counters, on separate cache lines because different ranks write them.
  struct ChannelCounts {
    alignas(alignment) Count written = 0;
    alignas(alignment) Count read = 0;
  };
  ChannelCounts &counts() const { return *reinterpret_cast<ChannelCounts *>(pages_.data()); }
  static void store(Count &count, Count message) {
    std::atomic_ref(count).store(message, std::memory_order_release);
  }
  static void await(Count &count, Count message, MPI_Comm comm);

  Mapping pages_;
  Index stride_ = 0; ///< distance of the buffers in bytes
};

/// Request for a channel to or from another rank of the node.
struct WantedChannel {
  int rank = 0;
  Index bytes = 0; ///< bytes of a message
};

/// Channels in the order of the requests. If either rank could not allocate memory, the channel is
/// empty on both.
struct Channels {
  std::vector<SharedChannel> sent, received;
};

/// Creates channels between ranks of a node. Collective over `comm`. Each request to send must
/// match a request to receive on the other rank, of the same size and in the same order for each
/// pair. Lack of shared memory or address space is not an error. Throws Error on all ranks.
/// \param tag MPI tag with no other messages in flight
/// \param threads number of threads that first touch the memory; each touches its part of every
/// message
Channels connect(std::span<const WantedChannel> sent, std::span<const WantedChannel> received,
                 MPI_Comm comm, int tag, int threads);

/// Sizes of the messages between this rank and another one.
struct Traffic {
  int rank = 0;
  Index sent = 0, received = 0; ///< bytes; 0: no message
};

/// Exchanges messages in consecutive stages, one message per rank and direction in each stage.
/// Within a node, the sender writes messages into memory read by the receiver. Other messages, and
/// all messages without shared memory, use persistent MPI requests.
///
/// An exchange of a stage: begin(), write the outgoing buffers, start(), finish(), read the
/// incoming buffers. Incoming buffers stay valid until begin() of the stage's next exchange. Each
/// message alternates between two buffers, so usually only finish() waits for a neighbour. begin()
/// waits as well if this rank only sends, and the receiver has not begun the previous exchange.
class NeighbourMessages {
public:
  /// Prepares all stages. `stages[s]` lists this rank's messages in stage s, with each other rank
  /// at most once. Both ranks of a pair must pass matching sizes, in the same order of stages.
  /// Collective over the communicator; all ranks create their exchanges in the same order. With
  /// HFFT_HALO=messages on any rank, MPI transfers all messages. Throws Error on all ranks.
  /// \param threads number of threads that write and read the buffers
  NeighbourMessages(const Communicator &comm, std::span<const std::vector<Traffic>> stages,
                    int threads);
  /// Cancels an exchange in flight, like MessageRequests::cancel().
  ~NeighbourMessages();
  NeighbourMessages(const NeighbourMessages &) = delete;
  NeighbourMessages &operator=(const NeighbourMessages &) = delete;

  /// Buffers of stages[s][n] for turn 0 or 1, aligned to cache lines. Both turns may have the same
  /// buffer.
  std::byte *outgoing(std::size_t s, std::size_t n, int turn) const {
    return stages_[s].buffers[n].out[static_cast<std::size_t>(turn)];
  }
  std::byte *incoming(std::size_t s, std::size_t n, int turn) const {
    return stages_[s].buffers[n].in[static_cast<std::size_t>(turn)];
  }

  /// Begins an exchange of stage s.
  /// \return the turn, 0 or 1, of the outgoing buffers to write
  int begin(std::size_t s);
  /// Sends the outgoing buffers. They must stay unchanged until finish() returns.
  void start(std::size_t s);
  /// Alternative to start(): first start_receiving(), then send() for each n of stages[s].
  void start_receiving(std::size_t s);
  void send(std::size_t s, std::size_t n);
  /// Waits until all messages have been received and the messages of MPI have been sent.
  /// \return the turn, 0 or 1, of the incoming buffers to read
  int finish(std::size_t s);

  /// Advances MPI messages in flight. Call it between start() and finish(), from the same thread.
  /// \return true if all have been received and sent
  bool poll(std::size_t s);

  /// Returns the pages with the buffers, so that a device can register them. The pages contain
  /// nothing but buffers and the counters of channels.
  std::vector<std::span<std::byte>> pages() const;

  /// Bytes sent through shared memory in one exchange of all stages.
  Index bytes_shared() const { return bytes_shared_; }

private:
  using Stages = std::span<const std::vector<Traffic>>;
  struct Buffers {
    std::array<std::byte *, 2> out{}, in{};
    /// Index of the outgoing message among the stage's channels or requests.
    std::optional<std::size_t> channel, request;
  };
  struct MessageStage {
    std::vector<Buffers> buffers;
    std::vector<SharedChannel> sent, received;
    MessageRequests requests;
    std::uint64_t message = 0; ///< number of exchanges begun so far

    int turn() const { return static_cast<int>(message % 2); }
  };
  void share(Stages stages, int threads);
  void use_requests(Stages stages, int threads);

  std::shared_ptr<exchange::Communicator> comm_;
  int tag_;
  PageMemory sent_, received_; ///< buffers of messages transferred by MPI
  std::vector<MessageStage> stages_;
  Index bytes_shared_ = 0;
};

} // namespace hybridfft::grid
