/// The nodes of a communicator: its ranks grouped by the memory that they share.
#pragma once

#include <mpi.h>

#include <vector>

#include "exchange/communicator.h"

namespace hybridfft::exchange {

/// The nodes of a communicator, numbered by their lowest ranks, and a communicator of this one.
class Nodes {
public:
  ~Nodes();
  Nodes(const Nodes &) = delete;
  Nodes &operator=(const Nodes &) = delete;

  int count() const { return static_cast<int>(members_.size()); }
  /// This rank's node.
  int mine() const { return mine_; }
  /// The ranks of a node, ascending: the order of their ranks in comm().
  const std::vector<int> &members(int node) const {
    return members_[static_cast<std::size_t>(node)];
  }
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// The ranks of this node.
  MPI_Comm comm() const { return comm_; }
  /// Never frees comm(), as Communicator::keep().
  void keep() const noexcept { kept_ = true; }

private:
  friend std::shared_ptr<const Nodes> nodes_of(Communicator &comm);
  Nodes() = default;
  /// Collective. Throws as nodes_of().
  void find(const Communicator &comm);

  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable bool kept_ = false;
  int mine_ = 0;
  std::vector<int> node_of_;
  std::vector<std::vector<int>> members_;
};

/// The nodes of a communicator, made once. Collective on first use: then HFFT_RANKS_PER_NODE on
/// rank 0 cuts nodes into smaller ones of as many ranks, so that several can be tried on one
/// machine. Throws Failure on all ranks alike.
std::shared_ptr<const Nodes> nodes_of(Communicator &comm);

} // namespace hybridfft::exchange
