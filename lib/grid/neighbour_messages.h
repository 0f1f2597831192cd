/// Messages of fixed sizes between neighbouring ranks, exchanged repeatedly.
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

/// The messages between this rank and another one.
struct Traffic {
  int rank = 0;
  Index sent = 0, received = 0; ///< bytes; 0: no message
};

/// Messages in consecutive stages, one in each direction per rank and stage. Ranks of a node write
/// them into memory read by the receiver. Other ranks, and ranks without shared memory, use
/// persistent requests of MPI.
///
/// An exchange of a stage is: begin(), write the outgoing buffers, start(), finish(), read the
/// incoming buffers. These keep the messages until begin() of the stage's next exchange. Two sets
/// of buffers alternate, so only finish() waits for a neighbour. begin() waits, too, if this rank
/// only sends, and the neighbour has not begun the previous exchange.
class NeighbourMessages {
public:
  /// `stages[s]` is this rank's traffic in stage s, with each other rank once. Both ranks of a pair
  /// must have the same traffic, and the same order of stages with traffic. Collective over the
  /// communicator, with all exchanges in the same order on all ranks. With HFFT_HALO=messages on
  /// any rank, MPI transfers all messages. Throws Error on all ranks.
  /// \param threads number of threads that write and read the buffers
  NeighbourMessages(const Communicator &comm, std::span<const std::vector<Traffic>> stages,
                    int threads);
  /// Ends an exchange in flight, like MessageRequests::cancel().
  ~NeighbourMessages();
  NeighbourMessages(const NeighbourMessages &) = delete;
  NeighbourMessages &operator=(const NeighbourMessages &) = delete;

  /// The buffers of stages[s][n] for turn 0 or 1; both may be the same. They are aligned to cache
  /// lines.
  std::byte *outgoing(std::size_t s, std::size_t n, int turn) const {
    return stages_[s].buffers[n].out[static_cast<std::size_t>(turn)];
  }
  std::byte *incoming(std::size_t s, std::size_t n, int turn) const {
    return stages_[s].buffers[n].in[static_cast<std::size_t>(turn)];
  }

  /// Begins an exchange of stage s.
  /// \return the turn of the outgoing buffers to write
  int begin(std::size_t s);
  /// Sends the outgoing buffers. They must stay unchanged until finish() returns.
  void start(std::size_t s);
  /// Start the messages one by one: first start_receiving(), then send() for each n of stages[s].
  void start_receiving(std::size_t s);
  void send(std::size_t s, std::size_t n);
  /// Returns when all messages have been received and MPI's have been sent.
  /// \return the turn of the incoming buffers with the messages
  int finish(std::size_t s);

  /// Advances MPI's messages of an exchange. Called between start() and finish(), by the same
  /// thread.
  /// \return true if all have been received and sent
  bool poll(std::size_t s);

  /// The memory of the buffers in whole pages, to be registered with a device. The pages contain
  /// nothing else.
  std::vector<std::span<std::byte>> pages() const;

  /// Bytes through shared memory in one exchange of all stages.
  Index bytes_shared() const { return bytes_shared_; }

private:
  using Stages = std::span<const std::vector<Traffic>>;
  struct Buffers {
    std::array<std::byte *, 2> out{}, in{};
    /// index of the outgoing message among the stage's channels or requests
    std::optional<std::size_t> channel, request;
  };
  struct MessageStage {
    std::vector<Buffers> buffers;
    std::vector<SharedChannel> sent, received;
    MessageRequests requests;
    std::uint64_t message = 0; ///< number of the current message, counted from 1

    int turn() const { return static_cast<int>(message % 2); }
  };
  void share(Stages stages, int threads);
  void use_requests(Stages stages, int threads);

  std::shared_ptr<exchange::Communicator> comm_;
  int tag_;
  PageMemory sent_, received_; ///< buffers of MPI's messages
  std::vector<MessageStage> stages_;
  Index bytes_shared_ = 0;
};

} // namespace hybridfft::grid
