/// Counts messages and bytes sent by a rank, by means of MPI's profiling interface (MPI 3.1,
/// section 14.2).
#pragma once

#include <mpi.h>

#include <vector>

namespace hybridfft {

/// Messages sent by one rank. A collective all-to-all exchange counts as one message to each rank
/// that receives data, however MPI sends it. Other collective operations are counted only as calls.
/// Reads of shared memory are not messages.
struct MessageCount {
  struct To {
    long long messages = 0;
    long long bytes = 0;
  };

  long long messages = 0;     ///< to other ranks
  long long bytes = 0;        ///< bytes of these messages
  long long self_bytes = 0;   ///< bytes copied by MPI from the rank to itself
  long long packed_bytes = 0; ///< bytes of types with gaps, copied by MPI before sending
  long long collectives = 0;  ///< calls of collective operations
  std::vector<To>
      to; ///< counts for each receiver, by its rank in MPI_COMM_WORLD, without the rank itself
};

/// Starts counting from zero; stop_counting_messages() returns the messages that this rank has sent
/// since then. Persistent and neighbourhood collectives are not counted. Local. MPI must be
/// initialised.
void start_counting_messages();
MessageCount stop_counting_messages();

/// Calls f() and returns the messages that this rank sends in it.
template <class F> MessageCount messages_of(const F &f) {
  start_counting_messages();
  f();
  return stop_counting_messages();
}

/// Messages and bytes between nodes. The ranks of a node share memory. With HFFT_RANKS_PER_NODE=n,
/// n consecutive ranks count as a node instead.
struct TrafficCount {
  int nodes = 1;
  std::vector<long long> messages, bytes; ///< from node i to j at i * nodes + j; on rank 0 only
};

/// Adds up the counts of all ranks of comm by node. Collective.
TrafficCount node_traffic(const MessageCount &count, MPI_Comm comm);

} // namespace hybridfft
