/// The nodes of a communicator, and the messages between them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/communicator.h"
#include "exchange/datatype.h"
#include "exchange/exchange.h"
#include "exchange/shared_window.h"

namespace hybridfft::exchange {

// Nodes of a communicator: its ranks grouped by shared memory.

/// The nodes of a communicator: groups of ranks that share memory, numbered by their lowest ranks.
/// Also has the communicator of this rank's node.
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

/// Returns the nodes of a communicator. The first call makes them and is collective; rank 0's
/// HFFT_RANKS_PER_NODE then splits nodes into smaller ones of this size, to test several nodes on
/// one machine. Throws Failure on all ranks alike.
std::shared_ptr<const Nodes> nodes_of(Communicator &comm);

// Messages between nodes, for an exchange through shared memory: one message per pair of nodes.

/// Positions of the data in the segments of the ranks' windows. A segment begins with the rank's
/// send buffer: its rows, column after column. After it come the messages that this rank receives
/// from other nodes. A message has all data from the ranks of one node to the ranks of another,
/// ordered by sender, then by receiver; blocks are in the order of the send buffer. Each pair of
/// nodes is served by one rank of each node.
class SegmentLayout {
public:
  SegmentLayout(const Transposition &t, const Nodes &nodes) : t_(t), nodes_(nodes) {}

  /// Return the bytes of a rank's send buffer, and of its complete segment.
  std::ptrdiff_t send_bytes(int rank) const;
  std::ptrdiff_t total_bytes(int rank) const;
  /// Returns the bytes of the message between two nodes.
  std::ptrdiff_t message_bytes(int from, int to) const;
  /// Returns the rank of `node` that exchanges messages with `other`.
  int dealer(int node, int other) const;
  /// Returns the offset in bytes of the message from node `from`, in the segment of the rank of
  /// node `to` that receives it.
  std::ptrdiff_t message_start(int from, int to) const;
  /// Returns the offset in bytes of the block from rank `from` to rank `to`, in the message between
  /// their nodes.
  std::ptrdiff_t block_start(int from, int to) const;
  /// Returns the bytes of the block for rank `to` in the segment of rank `from`.
  ByteRange sent_block(int from, int to) const;

private:
  std::ptrdiff_t point_bytes() const;
  const Transposition &t_;
  const Nodes &nodes_;
};

/// The messages between nodes that this rank sends and receives.
class NodeTraffic {
public:
  /// Makes the datatypes. Local. Throws Failure. The communicator must outlive the object.
  NodeTraffic(const Transposition &t, const Communicator &comm, const Nodes &nodes,
              const SharedWindow &window, std::ptrdiff_t largest_count);

  enum class TrafficDirection { forth, back };
  /// Sends data between nodes. Forward, it sends from the send buffers of this node to the messages
  /// received by other nodes; backward, it sends the received messages back to the send buffers.
  /// Throws Failure(HFFT_ERROR_MPI).
  void run(std::byte *window, TrafficDirection direction);
  /// Cancels the messages of a failed run, if any. Returns false if MPI may still read the window.
  bool cancel(const Patience &patience) noexcept;

private:
  struct NodeTransfer {
    int peer;
    Datatype type; ///< relative to this rank's segment
  };
  MPI_Comm comm_;
  std::vector<NodeTransfer> scattered_; ///< blocks in the send buffers of this node's ranks
  std::vector<NodeTransfer> received_;  ///< messages in this rank's segment
  std::vector<MPI_Request> requests_;
  std::size_t receives_ = 0; ///< number of receives, which come first in requests_
};

} // namespace hybridfft::exchange
