/// Messages of fixed sizes between neighbouring ranks, exchanged repeatedly: through shared memory
/// within a node, by MPI between nodes.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/memory.h"
#include "exchange/communicator.h"
#include "grid/message_requests.h"
#include "grid/shared_channel.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

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

  /// Returns the pages with the buffers, so that a device can register them. They contain nothing
  /// else.
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
  PageMemory sent_, received_; ///< buffers of messages sent by MPI
  std::vector<MessageStage> stages_;
  Index bytes_shared_ = 0;
};

} // namespace hybridfft::grid
