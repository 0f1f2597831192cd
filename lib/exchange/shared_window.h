/// Memory that the ranks of a node share.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/communicator.h"

namespace hybridfft::exchange {

/// One segment per rank of the node, all of them mapped by every rank (MPI_Win_allocate_shared).
/// Freeing is collective, unless MPI has been finalised before.
class SharedWindow {
public:
  ~SharedWindow();
  SharedWindow(const SharedWindow &) = delete;
  SharedWindow &operator=(const SharedWindow &) = delete;

  std::byte *data() const { return segments_[static_cast<std::size_t>(rank_)]; }
  /// Bytes from this rank's segment to that of a rank of the node.
  std::ptrdiff_t distance(int node_rank) const {
    return segments_[static_cast<std::size_t>(node_rank)] - data();
  }

  /// Returns when all ranks of the node have called it and see what the others had written.
  /// Throws Failure(HFFT_ERROR_MPI).
  void synchronise() const;

  /// Others may still read what has been written: the same on all ranks of the node.
  bool in_use = false;

private:
  friend std::shared_ptr<SharedWindow> acquire_window(Communicator &comm, std::size_t bytes);
  explicit SharedWindow(MPI_Comm node) : node_(node) {}
  bool allocate(std::size_t bytes);
  bool populate(std::size_t bytes);

  MPI_Comm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::byte *> segments_;
};

/// The window of a communicator's node with room for `bytes` of this rank (which may differ
/// between ranks): there is one for all exchanges of a communicator, however many; when it has to
/// grow, older exchanges keep theirs. nullptr, on all ranks, when any rank cannot have it.
/// Collective. Throws Failure(HFFT_ERROR_MPI).
std::shared_ptr<SharedWindow> acquire_window(Communicator &comm, std::size_t bytes);

} // namespace hybridfft::exchange
