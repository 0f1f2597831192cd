/// Memory that the ranks of a node share.
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

/// One segment per rank of the node, all of them mapped by every rank (MPI_Win_allocate_shared), as
/// a whole or in two halves that executions use in turns. Freeing is collective, unless MPI has
/// been finalised before.
class SharedWindow {
public:
  ~SharedWindow();
  SharedWindow(const SharedWindow &) = delete;
  SharedWindow &operator=(const SharedWindow &) = delete;

  /// This rank's segment, or the half of it that is in turn.
  std::byte *data() const { return first() + (second_ ? half_ : 0); }
  /// Bytes from this rank's segment to that of a rank of the node.
  std::ptrdiff_t distance(int node_rank) const {
    return segments_[static_cast<std::size_t>(node_rank)] - first();
  }

  /// Returns when all ranks of the node have called it and see the others' earlier writes. Throws
  /// Failure(HFFT_ERROR_MPI).
  void synchronise() const;

  /// Takes the memory of the first `bytes` of this rank's segment, or of both halves, near this
  /// rank. Before they are used: where there is none left by then, the first access would end the
  /// process. Returns whether there is.
  bool populate(std::size_t bytes);

  /// Returns when data() may be written; data() may change. With two halves the other one is free
  /// without any wait: when all ranks had written this one, all had read that. Called by all ranks
  /// of the node in the same order; throws as synchronise().
  void begin();

  /// Others may still read the written data: the same on all ranks of the node.
  bool in_use = false;

  /// Never frees it, for messages that may still read it.
  void leave() noexcept { left_ = true; }

  int halves() const { return half_ > 0 ? 2 : 1; }

private:
  friend class WindowSearch;
  explicit SharedWindow(MPI_Comm node);
  std::byte *first() const { return segments_[static_cast<std::size_t>(rank_)]; }
  /// Once or twice as many bytes, which are whole pages; the same on all ranks if twice. True on
  /// all ranks of `all` if on all of them. Collective over `all`.
  bool allocate(std::size_t bytes, bool halves, MPI_Comm all);
  /// Queries the addresses of the segments. False if MPI does not provide them.
  bool find_segments();
  /// Bytes beyond those that have been promised before.
  std::size_t more(std::size_t bytes) const { return bytes > promised_ ? bytes - promised_ : 0; }
  void promise(std::size_t bytes);

  MPI_Comm node_;
  MPI_Win window_ = MPI_WIN_NULL;
  int rank_;
  bool locked_ = false;
  bool left_ = false;
  std::size_t half_ = 0; ///< bytes from the first half to the second; 0: there are none
  bool second_ = false;  ///< it is the second half's turn
  std::size_t bytes_ = 0, promised_ = 0, populated_ = 0; ///< bytes of the segment, or of each half
  std::vector<std::byte *> segments_;
};

/// Takes the memory of an exchange in a window before its first use: not while planning, since
/// plans need not be executed and many share a window, unless there is little of it.
class Population {
public:
  /// Collective over `all` the first time, nothing after that. Throws
  /// Failure(HFFT_ERROR_OUT_OF_MEMORY) on all ranks where one has not as many bytes.
  void ensure(SharedWindow &window, std::size_t bytes, MPI_Comm all);

private:
  bool done_ = false;
};

/// The window that an exchange needs on this rank. Both functions are called where ranks agree on
/// failures.
struct WindowRequest {
  /// Returns how many bytes, which may differ between ranks; nothing where the ranks of the
  /// communicator are to have no window.
  std::function<std::optional<std::size_t>()> bytes;
  /// Takes the window: where acquire_window() then returns false, it is to be given back.
  std::function<void(const std::shared_ptr<SharedWindow> &)> use;
  Pages pages = Pages::now;
  /// A window in two halves up to so many bytes of any rank; 0: none.
  std::size_t largest_half = 0;
  /// The communicator that this one is a group of: all of its groups request windows together.
  /// nullptr: this one alone does.
  Communicator *all = nullptr;
};

/// Hands over the window of a communicator's node with room for the bytes: there is one for all
/// exchanges of a communicator, however many, and another one in two halves; when it has to grow,
/// older exchanges keep theirs. False, on all ranks, when any rank cannot have it. Groups that
/// request windows together get them together, from the memory that there is for all of them.
/// Collective over all that request. Throws Failure on all of these ranks alike.
bool acquire_window(Communicator &comm, const WindowRequest &request);

} // namespace hybridfft::exchange
