#include "exchange/nodes.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/environment.h"
#include "base/mpi.h"

namespace hybridfft::exchange {

namespace {

/// Returns the value of HFFT_RANKS_PER_NODE; 0 if it is not set. Throws
/// Failure(HFFT_ERROR_ENVIRONMENT).
int wanted_ranks_per_node() {
  const std::string text = environment_value("HFFT_RANKS_PER_NODE");
  if (text.empty()) return 0;
  int ranks = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, ranks);
  if (error != std::errc() || rest != end || ranks < 1)
    throw wrong_variable("HFFT_RANKS_PER_NODE", text, "a positive number");
  return ranks;
}

/// Returns a communicator of ranks with shared memory. It has at most `most` ranks; 0: no limit.
MPI_Comm split_by_memory(const Communicator &comm, int most) {
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(
      MPI_Comm_split_type(comm.get(), MPI_COMM_TYPE_SHARED, comm.rank(), MPI_INFO_NULL, &node),
      "MPI_Comm_split_type");
  if (most == 0) return node;
  MPI_Comm part = MPI_COMM_NULL;
  const int code = MPI_Comm_split(node, mpi::rank(node) / most, mpi::rank(node), &part);
  MPI_Comm_free(&node);
  mpi::check(code, "MPI_Comm_split");
  return part;
}

} // namespace

void Nodes::find(const Communicator &comm) {
  std::vector<int> first_of;
  std::int64_t most = 0; // rank 0's number
  mpi::all_or_none(comm.get(),
                   [&] {
                     if (comm.rank() == 0) most = wanted_ranks_per_node();
                     first_of.resize(static_cast<std::size_t>(comm.size()));
                   },
                   {&most, 1});
  comm_ = split_by_memory(comm, static_cast<int>(most));
  mpi::check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int first = comm.rank();
  mpi::check(MPI_Bcast(&first, 1, MPI_INT, 0, comm_), "MPI_Bcast");
  mpi::check(MPI_Allgather(&first, 1, MPI_INT, first_of.data(), 1, MPI_INT, comm.get()),
             "MPI_Allgather");
  mpi::all_or_none(comm.get(), [&] {
    for (int r = 0; r < comm.size(); ++r) {
      const int lowest = first_of[static_cast<std::size_t>(r)];
      if (lowest == r) members_.emplace_back();
      const auto node = lowest == r ? count() - 1 : node_of(lowest);
      node_of_.push_back(node);
      members_[static_cast<std::size_t>(node)].push_back(r);
    }
  });
  mine_ = node_of(comm.rank());
}

Nodes::~Nodes() {
  if (comm_ != MPI_COMM_NULL && !kept_ && mpi::running()) MPI_Comm_free(&comm_);
}

std::shared_ptr<const Nodes> nodes_of(Communicator &comm) {
  if (comm.nodes) return comm.nodes;
  std::shared_ptr<Nodes> made;
  mpi::all_or_none(comm.get(), [&] { made.reset(new Nodes); });
  made->find(comm);
  return comm.nodes = std::move(made);
}

} // namespace hybridfft::exchange
