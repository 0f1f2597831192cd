/// Connections between ranks of a node: shared memory for their messages.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "grid/shared_channel.h"

namespace hybridfft::grid {

/// A direction between this rank and another one of its node.
struct WantedChannel {
  int rank = 0;
  Index bytes = 0; ///< bytes of a message
};

/// The channels in the order in which they were wanted; without buffers where either rank could not
/// have the memory, on both of them.
struct Channels {
  std::vector<SharedChannel> sent, received;
};

/// Makes channels between ranks of a node. Collective over `comm`; for each channel that one rank
/// wants to send, the other one wants to receive one of the same bytes, in the same order for each
/// pair of ranks. A lack of shared memory or of address space is no failure. Throws Error on all
/// ranks.
/// \param tag a tag that no other messages have at this time
/// \param threads number of threads that touch the memory first, each its part of every message
Channels connect(std::span<const WantedChannel> sent, std::span<const WantedChannel> received,
                 MPI_Comm comm, int tag, int threads);

} // namespace hybridfft::grid
