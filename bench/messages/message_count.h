/// Messages and bytes that a rank sends, as MPI's profiling interface sees them (MPI 3.1,
/// section 14.2).
#pragma once

#include <mpi.h>

#include <vector>

namespace hybridfft {

/// The messages that one rank has sent. A collective exchange of all with all counts as a message
/// to each rank that receives data, even if MPI sends it in other ways; other collective operations
/// are counted as calls alone. Reads of shared memory are no messages.
struct MessageCount {
  struct To {
    long long messages = 0;
    long long bytes = 0;
  };

  long long messages = 0;     ///< to other ranks
  long long bytes = 0;        ///< in them
  long long self_bytes = 0;   ///< bytes that MPI copies from the rank to itself
  long long packed_bytes = 0; ///< bytes of types with gaps, which MPI copies before it sends them
  long long collectives = 0;  ///< calls of collective operations
  std::vector<To> to;         ///< by rank of MPI_COMM_WORLD, without the rank itself
};

/// Counts from zero until stop_counting_messages(), which returns the messages that this rank has
/// sent since. Not counted: persistent collective operations and those of neighbours of a topology.
/// Local; MPI has to be initialized.
void start_counting_messages();
MessageCount stop_counting_messages();

/// The messages that this rank sends in f().
template <class F> MessageCount messages_of(const F &f) {
  start_counting_messages();
  f();
  return stop_counting_messages();
}

/// Bytes between nodes: those of ranks that can share memory, or HFFT_RANKS_PER_NODE ranks each.
struct NodeTraffic {
  int nodes = 1;
  std::vector<long long> messages, bytes; ///< from node i to j at i * nodes + j; on rank 0 alone
};

/// The traffic of messages between ranks of comm, from the counts of each of them. Collective.
NodeTraffic node_traffic(const MessageCount &count, MPI_Comm comm);

} // namespace hybridfft
