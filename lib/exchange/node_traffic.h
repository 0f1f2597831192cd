/// Messages between nodes in an exchange through shared memory: one message per pair of nodes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/datatype.h"
#include "exchange/exchange.h"
#include "exchange/nodes.h"
#include "exchange/shared_window.h"

namespace hybridfft::exchange {

/// Layout of the data in the segments of the ranks' windows. A segment begins with the rank's send
/// buffer: its rows, column after column. The messages that this rank receives from other nodes
/// follow. A message has all data from the ranks of one node to the ranks of another, ordered by
/// sender, then by receiver; blocks are in the order of the send buffer. The ranks of a node share
/// the work for its pairs of nodes.
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
  /// Returns the offset in bytes of the message of node `from`, in the segment of the responsible
  /// rank of node `to`.
  std::ptrdiff_t message_start(int from, int to) const;
  /// Returns the offset in bytes of the block of two ranks in the message between their nodes.
  std::ptrdiff_t block_start(int from, int to) const;
  /// Returns the place of the block for rank `to` in the segment of rank `from`.
  ByteRange sent_block(int from, int to) const;

private:
  std::ptrdiff_t point_bytes() const;
  const Transposition &t_;
  const Nodes &nodes_;
};

/// This rank's share of the messages between nodes.
class NodeTraffic {
public:
  /// Makes the datatypes. Local. Throws Failure. The communicator must outlive the object.
  NodeTraffic(const Transposition &t, const Communicator &comm, const Nodes &nodes,
              const SharedWindow &window, std::ptrdiff_t largest_count);

  enum class TrafficDirection { forth, back };
  /// Sends data between nodes. Direction::forth copies from the send buffers of this node to the
  /// messages received by other nodes; Direction::back is the reverse. Throws
  /// Failure(HFFT_ERROR_MPI).
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
  std::size_t receives_ = 0; ///< number of receives, which come first
};

} // namespace hybridfft::exchange
