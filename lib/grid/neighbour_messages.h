/// Messages of fixed sizes between neighbouring ranks, exchanged again and again.
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
#include "grid/shared_connection.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// Messages that this rank and another one send each other.
struct Traffic {
  int rank = 0;
  Index sent = 0, received = 0; ///< bytes; 0: there is no message
};

/// Messages in stages that follow one another, one message in each direction for each rank and
/// stage. Ranks of a node write them into memory that the receiver reads; others, and those that
/// have no memory to share, send them by persistent requests of MPI.
///
/// An exchange of a stage is: begin(), write the outgoing buffers, start(), finish(), read the
/// incoming buffers, which keep the messages until begin() of the next exchange of that stage. Two
/// sets of buffers are used in turns, so that none of this waits for a neighbour but finish(), and
/// begin() where a rank only sends, and its neighbour has not begun the exchange before this one.
class NeighbourMessages {
public:
  /// `stages[s]` is this rank's traffic in stage s, each other rank once; pairs of ranks agree on
  /// it, and on the order of the stages in which they have any. Collective over the communicator,
  /// with all exchanges in the same order on all ranks. HFFT_HALO=messages, on any rank, leaves
  /// everything to MPI. Throws Error on all ranks.
  /// \param threads that will write and read the buffers
  NeighbourMessages(const Communicator &comm, std::span<const std::vector<Traffic>> stages,
                    int threads);
  /// Ends an exchange that is under way, as MessageRequests::cancel() does.
  ~NeighbourMessages();
  NeighbourMessages(const NeighbourMessages &) = delete;
  NeighbourMessages &operator=(const NeighbourMessages &) = delete;

  /// The buffers of stages[s][n] in one turn or the other, 0 or 1, which may be the same ones. They
  /// begin at cache lines.
  std::byte *outgoing(std::size_t s, std::size_t n, int turn) const {
    return stages_[s].buffers[n].out[static_cast<std::size_t>(turn)];
  }
  std::byte *incoming(std::size_t s, std::size_t n, int turn) const {
    return stages_[s].buffers[n].in[static_cast<std::size_t>(turn)];
  }

  /// Begins an exchange of stage s. Returns the turn whose outgoing buffers are to be written.
  int begin(std::size_t s);
  /// Sends the outgoing buffers, which stay as they are until finish() returns.
  void start(std::size_t s);
  /// The same message by message: first start_receiving(), then send() for each n of stages[s].
  void start_receiving(std::size_t s);
  void send(std::size_t s, std::size_t n);
  /// Returns when all messages have been received and MPI's have been sent: the turn whose incoming
  /// buffers hold them.
  int finish(std::size_t s);

  /// Lets MPI's messages of an exchange move on: whether all have been received and sent. Between
  /// start() and finish(), by the thread that calls them.
  bool poll(std::size_t s);

  /// The buffers' memory, in whole pages which hold nothing else that might be registered with a
  /// device.
  std::vector<std::span<std::byte>> pages() const;

  /// Bytes that go through shared memory in one exchange of all stages.
  Index bytes_shared() const { return bytes_shared_; }

private:
  using Stages = std::span<const std::vector<Traffic>>;
  struct Buffers {
    std::array<std::byte *, 2> out{}, in{};
    /// Number of the outgoing message among those of its kind in the stage.
    std::optional<std::size_t> channel, request;
  };
  struct Stage {
    std::vector<Buffers> buffers;
    std::vector<SharedChannel> sent, received;
    MessageRequests requests;
    std::uint64_t message = 0; ///< number of the one under way, from 1 on

    int turn() const { return static_cast<int>(message % 2); }
  };
  void share(Stages stages, int threads);
  void use_requests(Stages stages, int threads);

  std::shared_ptr<exchange::Communicator> comm_;
  int tag_;
  PageMemory sent_, received_; ///< buffers of MPI's messages
  std::vector<Stage> stages_;
  Index bytes_shared_ = 0;
};

} // namespace hybridfft::grid
