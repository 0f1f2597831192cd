/// Messages of fixed sizes between neighbouring ranks, exchanged again and again.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/memory.h"
#include "exchange/communicator.h"
#include "exchange/datatype.h"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// What this rank and another one send each other.
struct Traffic {
  int rank = 0;
  Index sent = 0, received = 0; ///< bytes; 0: there is no message
};

/// A tag for an exchange of its own on a communicator: the same on all ranks, if all make their
/// exchanges in the same order.
int next_tag(exchange::Communicator &comm);

/// Persistent requests and their buffers, one message in each direction for each rank.
class NeighbourMessages {
public:
  /// Messages with the same tag between two ranks match in the order of their starts. Throws Error.
  NeighbourMessages(std::span<const Traffic> traffic, MPI_Comm comm, int tag, int threads);
  ~NeighbourMessages();
  NeighbourMessages(const NeighbourMessages &) = delete;
  NeighbourMessages &operator=(const NeighbourMessages &) = delete;

  /// The buffers of traffic[n].
  std::byte *outgoing(std::size_t n) const { return sent_.data() + offsets_[n].sent; }
  std::byte *incoming(std::size_t n) const { return received_.data() + offsets_[n].received; }

  /// Sends what is in the outgoing buffers, which stay as they are until finish() returns.
  void start();
  /// Returns when all messages have been sent and received.
  void finish();

private:
  struct Offsets {
    Index sent = 0, received = 0;
  };
  Memory sent_, received_;
  std::vector<Offsets> offsets_;
  std::vector<exchange::Datatype> types_;
  std::vector<MPI_Request> requests_; ///< receives first
};

} // namespace hybridfft::grid
