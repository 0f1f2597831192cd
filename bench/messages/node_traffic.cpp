// Sums the messages of all ranks by pairs of nodes.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/mpi.h"
#include "messages/message_count.h"

namespace hybridfft {

namespace {

/// Returns the node of each rank of comm. Nodes are numbered in the order of their first ranks.
std::vector<int> nodes_of_ranks(MPI_Comm comm) {
  const int rank = mpi::rank(comm);
  int first = rank; // first rank of the node
  if (const char *per_node = std::getenv("HFFT_RANKS_PER_NODE")) {
    first -= rank % std::max(std::atoi(per_node), 1);
  } else {
    MPI_Comm node = MPI_COMM_NULL;
    mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node),
               "MPI_Comm_split_type");
    mpi::check(MPI_Bcast(&first, 1, MPI_INT, 0, node), "MPI_Bcast");
    mpi::check(MPI_Comm_free(&node), "MPI_Comm_free");
  }
  std::vector<int> nodes(static_cast<std::size_t>(mpi::size(comm)));
  mpi::check(MPI_Allgather(&first, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm), "MPI_Allgather");
  std::vector<int> firsts = nodes;
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  for (int &node : nodes)
    node = static_cast<int>(std::lower_bound(firsts.begin(), firsts.end(), node) - firsts.begin());
  return nodes;
}

std::vector<long long> summed(const std::vector<long long> &mine, MPI_Comm comm) {
  std::vector<long long> sums(mine.size());
  mpi::check(MPI_Reduce(mine.data(), sums.data(), static_cast<int>(mine.size()), MPI_LONG_LONG,
                        MPI_SUM, 0, comm),
             "MPI_Reduce");
  return sums;
}

/// Returns the ranks in MPI_COMM_WORLD of all ranks of comm.
std::vector<int> world_ranks(MPI_Comm comm) {
  int world = 0;
  mpi::check(MPI_Comm_rank(MPI_COMM_WORLD, &world), "MPI_Comm_rank");
  std::vector<int> ranks(static_cast<std::size_t>(mpi::size(comm)));
  mpi::check(MPI_Allgather(&world, 1, MPI_INT, ranks.data(), 1, MPI_INT, comm), "MPI_Allgather");
  return ranks;
}

} // namespace

TrafficCount node_traffic(const MessageCount &count, MPI_Comm comm) {
  const std::vector<int> nodes = nodes_of_ranks(comm);
  const std::vector<int> world = world_ranks(comm);
  TrafficCount t;
  t.nodes = 1 + *std::max_element(nodes.begin(), nodes.end());
  const auto n = static_cast<std::size_t>(t.nodes);
  const auto node = [&nodes](std::size_t rank) { return static_cast<std::size_t>(nodes[rank]); };
  const std::size_t mine = node(static_cast<std::size_t>(mpi::rank(comm)));
  std::vector<long long> messages(n * n), bytes(n * n);
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    const MessageCount::To &to = count.to.at(static_cast<std::size_t>(world[rank]));
    messages[mine * n + node(rank)] += to.messages;
    bytes[mine * n + node(rank)] += to.bytes;
  }
  t.messages = summed(messages, comm);
  t.bytes = summed(bytes, comm);
  return t;
}

} // namespace hybridfft
