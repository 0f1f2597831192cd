/// Connects ranks of a node by shared memory for their messages.
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

/// The channels in the order of the requests. A channel has no buffers, on both ranks, if either
/// rank could not get the memory.
struct Channels {
  std::vector<SharedChannel> sent, received;
};

/// Makes channels between ranks of a node. Collective over `comm`. For each channel to send, the
/// other rank must request one to receive, with the same size and in the same order for each pair
/// of ranks. A lack of shared memory or of address space is no failure. Throws Error on all ranks.
/// \param tag a tag without other messages at this time
/// \param threads number of threads that touch the memory first, each its part of every message
Channels connect(std::span<const WantedChannel> sent, std::span<const WantedChannel> received,
                 MPI_Comm comm, int tag, int threads);

} // namespace hybridfft::grid
