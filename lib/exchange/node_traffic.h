/// The messages between nodes of an exchange through shared memory.
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

/// The layout of an exchange's data in the segments of the ranks' windows. Each segment begins with
/// the rank's send buffer, column after column of its rows; then come, one after another, the
/// messages of other nodes that this rank receives. A message holds all that the ranks of one node
/// send to the ranks of another: for each sender, for each receiver, the block as it was sent. The
/// pairs of nodes are dealt out over the ranks of the nodes.
class SegmentLayout {
public:
  SegmentLayout(const Transposition &t, const Nodes &nodes) : t_(t), nodes_(nodes) {}

  /// Bytes of a rank's send buffer, and of its whole segment.
  std::ptrdiff_t send_bytes(int rank) const;
  std::ptrdiff_t total_bytes(int rank) const;
  /// Bytes of the message between two nodes.
  std::ptrdiff_t message_bytes(int from, int to) const;
  /// The rank of `node` that deals with the messages to and from `other`.
  int dealer(int node, int other) const;
  /// Offset of the message of node `from` in the segment of the dealer of node `to`, in bytes.
  std::ptrdiff_t message_start(int from, int to) const;
  /// Offset of the block of two ranks in the message between their nodes, in bytes.
  std::ptrdiff_t block_start(int from, int to) const;
  /// The block for a rank in its sender's segment.
  ByteRange sent_block(int from, int to) const;

private:
  std::ptrdiff_t point_bytes() const;
  const Transposition &t_;
  const Nodes &nodes_;
};

/// This rank's share of the messages between nodes.
class NodeTraffic {
public:
  /// Makes the datatypes. Local. Throws Failure. The communicator outlives the object.
  NodeTraffic(const Transposition &t, const Communicator &comm, const Nodes &nodes,
              const SharedWindow &window, std::ptrdiff_t largest_count);

  enum class Direction { forth, back };
  /// Forth: from the send buffers of this node to the messages received by others; back: the
  /// other way. Throws Failure(HFFT_ERROR_MPI).
  void run(std::byte *window, Direction direction);
  /// Cancels the messages of a run that has failed, if there was one. Returns false where MPI may
  /// still read the window.
  bool cancel(const Patience &patience) noexcept;

private:
  struct Transfer {
    int peer;
    Datatype type; ///< relative to this rank's segment
  };
  MPI_Comm comm_;
  std::vector<Transfer> scattered_; ///< blocks in the send buffers of this node's ranks
  std::vector<Transfer> received_;  ///< messages in this rank's segment
  std::vector<MPI_Request> requests_;
  std::size_t receives_ = 0; ///< number of receives, which come first
};

} // namespace hybridfft::exchange
