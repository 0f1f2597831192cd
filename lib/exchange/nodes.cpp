#include "exchange/nodes.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/mpi.h"

namespace hybridfft::exchange {

namespace {

/// The variable's value, 0 if it is not set. Throws Failure(HFFT_ERROR_ENVIRONMENT).
int wanted_ranks_per_node() {
  const char *text = std::getenv("HFFT_RANKS_PER_NODE");
  if (text == nullptr || *text == '\0') return 0;
  int ranks = 0;
  const char *end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, ranks);
  if (error != std::errc() || rest != end || ranks < 1)
    throw Failure(HFFT_ERROR_ENVIRONMENT, "the environment variable HFFT_RANKS_PER_NODE is '" +
                                              std::string(text) + "', expected a positive number");
  return ranks;
}

/// That of rank 0, so that all ranks agree.
int agreed_ranks_per_node(const Communicator &comm) {
  int ranks = 0;
  mpi::all_or_none(comm.get(), [&] {
    if (comm.rank() == 0) ranks = wanted_ranks_per_node();
  });
  mpi::check(MPI_Bcast(&ranks, 1, MPI_INT, 0, comm.get()), "MPI_Bcast");
  return ranks;
}

MPI_Comm split_by_memory(const Communicator &comm) {
  const int most = agreed_ranks_per_node(comm);
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

Nodes::Nodes(const Communicator &comm) : comm_(split_by_memory(comm)) {
  mpi::check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int first = comm.rank();
  mpi::check(MPI_Bcast(&first, 1, MPI_INT, 0, comm_), "MPI_Bcast");
  std::vector<int> first_of;
  mpi::all_or_none(comm.get(), [&] { first_of.resize(static_cast<std::size_t>(comm.size())); });
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
  if (comm_ != MPI_COMM_NULL && mpi::running()) MPI_Comm_free(&comm_);
}

std::shared_ptr<const Nodes> nodes_of(Communicator &comm) {
  if (!comm.nodes) comm.nodes = std::make_shared<const Nodes>(comm);
  return comm.nodes;
}

} // namespace hybridfft::exchange
