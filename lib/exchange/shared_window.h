/// Memory shared by the ranks of a node. Exchanges within a node use it instead of messages.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/memory.h"
#include "exchange/communicator.h"

namespace hybridfft::exchange {

/// Memory shared by the ranks of a node (MPI_Win_allocate_shared). Each rank has one segment, which
/// all ranks map. A segment is undivided, or has two halves, used alternately by successive
/// executions. The destructor is collective, unless MPI is already finalised.
class SharedWindow {
public:
  ~SharedWindow();
  SharedWindow(const SharedWindow &) = delete;
  SharedWindow &operator=(const SharedWindow &) = delete;

  /// Returns this rank's segment, or its current half.
  std::byte *data() const { return first() + (second_ ? half_ : 0); }
  /// Returns the distance in bytes from this rank's segment to the segment of another rank of the
  /// node.
  std::ptrdiff_t distance(int node_rank) const {
    return segments_[static_cast<std::size_t>(node_rank)] - first();
  }

  /// A barrier of the ranks of the node: afterwards all of their earlier writes are visible. Throws
  /// Failure(HFFT_ERROR_MPI).
  void synchronise() const;

  /// Allocates the pages of the first `bytes` of this rank's segment, or of both halves, on the
  /// NUMA node of this rank. Call it before the first access, because access without free memory
  /// would end the process. Returns false if memory is short.
  bool populate(std::size_t bytes);

  /// Waits until data() may be written; data() may change. With two halves it need not wait: all
  /// ranks had read the other half before they wrote the current one. All ranks of the node call it
  /// in the same order. It throws like synchronise().
  void begin();

  /// True if other ranks may still read the written data; the same on all ranks of the node.
  bool in_use = false;

  /// Leaks the window on purpose, because messages may still read it.
  void leave() noexcept { left_ = true; }

  int halves() const { return half_ > 0 ? 2 : 1; }

private:
  friend class WindowSearch;
  explicit SharedWindow(MPI_Comm node);
  std::byte *first() const { return segments_[static_cast<std::size_t>(rank_)]; }
  /// Reserves `bytes`, a multiple of the page size, or twice as much for two halves. Halves need
  /// equal sizes on all ranks. Returns true on all ranks of `all` if it succeeds on all. Collective
  /// over `all`.
  bool allocate(std::size_t bytes, bool halves, MPI_Comm all);
  /// Queries the addresses of the segments. Returns false if MPI does not provide them.
  bool find_segments();
  /// Returns by how much `bytes` exceed the bytes reserved so far.
  std::size_t more(std::size_t bytes) const { return bytes > promised_ ? bytes - promised_ : 0; }
  void promise(std::size_t bytes);

  MPI_Comm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_;
  bool locked_ = false;
  bool left_ = false;
  std::size_t half_ = 0; ///< bytes from the first half to the second; 0: undivided
  bool second_ = false;  ///< true if the second half is current
  /// Bytes of the segment, or of each half: its size, the reserved bytes, and those with pages.
  std::size_t bytes_ = 0, promised_ = 0, populated_ = 0;
  std::vector<std::byte *> segments_;
};

/// The window of an exchange, shared by its directions. Pages are allocated before the first
/// execution: planning only reserves them, unless memory is scarce, because many plans share a
/// window and some are never executed.
struct WindowUse {
  std::shared_ptr<Communicator> all; ///< ranks that must agree on failures
  std::size_t bytes = 0;             ///< bytes of this rank's segment, or of each of its halves
  std::shared_ptr<SharedWindow> window = nullptr;
  bool populated = false;

  /// Waits until window->data() may be written. The first call allocates the pages, collectively
  /// over `all`. Throws Failure(HFFT_ERROR_OUT_OF_MEMORY) on all ranks if one lacks the bytes.
  void begin();
};

/// Request for the window of an exchange on this rank. Both functions may throw, because ranks
/// agree on failures after calling them.
struct WindowRequest {
  /// Returns the needed bytes, which may differ between ranks; no value if this communicator needs
  /// no window.
  std::function<std::optional<std::size_t>()> bytes;
  /// Gets the window. If acquire_window() then returns false, the receiver must release it again.
  std::function<void(const std::shared_ptr<SharedWindow> &)> use;
  Pages pages = Pages::now;
  /// Largest size per rank for a window in two halves; 0: undivided.
  std::size_t largest_half = 0;
  /// Parent communicator, if all communicators split from it request their windows together;
  /// nullptr: this communicator requests its window alone.
  Communicator *all = nullptr;
};

/// Finds or makes a window with enough bytes for the ranks of a node, and passes it to `use`. All
/// exchanges of a communicator share one undivided window and one window in halves. If a larger
/// window is needed, older exchanges keep the old one. Returns false on all ranks if any rank gets
/// no window. Groups with a joint request make one decision from the memory of the node. Collective
/// over all requesting ranks. Throws Failure on these ranks alike.
bool acquire_window(Communicator &comm, const WindowRequest &request);

} // namespace hybridfft::exchange
