/// Nodes of a communicator: its ranks grouped by shared memory.
#pragma once

#include <mpi.h>

#include <vector>

#include "exchange/communicator.h"

namespace hybridfft::exchange {

/// Nodes of a communicator, numbered by their lowest ranks, and the communicator of this rank's
/// node.
class Nodes {
public:
  ~Nodes();
  Nodes(const Nodes &) = delete;
  Nodes &operator=(const Nodes &) = delete;

  int count() const { return static_cast<int>(members_.size()); }
  /// Returns this rank's node.
  int mine() const { return mine_; }
  /// Returns the ranks of a node, ascending; comm() has the same order.
  const std::vector<int> &members(int node) const {
    return members_[static_cast<std::size_t>(node)];
  }
  int node_of(int rank) const { return node_of_[static_cast<std::size_t>(rank)]; }
  /// Returns the communicator of this node's ranks.
  MPI_Comm comm() const { return comm_; }
  /// Leaks comm() on purpose, as Communicator::keep() does.
  void keep() const noexcept { kept_ = true; }

private:
  friend std::shared_ptr<const Nodes> nodes_of(Communicator &comm);
  Nodes() = default;
  /// Finds the nodes. Collective. Throws as nodes_of() does.
  void find(const Communicator &comm);

  MPI_Comm comm_ = MPI_COMM_NULL;
  mutable bool kept_ = false;
  int mine_ = 0;
  std::vector<int> node_of_;
  std::vector<std::vector<int>> members_;
};

/// Returns the nodes of a communicator, made once. Collective on first use. HFFT_RANKS_PER_NODE on
/// rank 0 then splits nodes into smaller ones of this size, to test several nodes on one machine.
/// Throws Failure on all ranks alike.
std::shared_ptr<const Nodes> nodes_of(Communicator &comm);

} // namespace hybridfft::exchange
