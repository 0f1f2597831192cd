#include "exchange/shared_window.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/mpi.h"
#include "base/shared_memory.h"
#include "exchange/communicator.h"

namespace hybridfft::exchange {

namespace {

/// Returns the free bytes of the file system for shared memory; no limit if it is unknown. MPI
/// libraries would also detect a shortage, but they print a message.
std::uint64_t free_shared_memory() {
  struct statvfs info {};
  if (statvfs("/dev/shm", &info) != 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

/// Returns the start of the next page. MPI libraries store their own data before the segments (Open
/// MPI 4.1: 264 bytes). Segments consist of complete pages, so the offset is the same in all.
std::byte *next_page(void *segment) {
  const auto page = static_cast<std::uintptr_t>(page_bytes());
  const auto address = reinterpret_cast<std::uintptr_t>(segment);
  return static_cast<std::byte *>(segment) + ((address + page - 1) / page * page - address);
}

/// Returns the size of a segment: at least one page, so that every segment is aligned for its
/// elements.
std::size_t segment_bytes(std::size_t bytes) { return std::max(whole_pages(bytes), page_bytes()); }

/// Bytes that windows of this process have reserved but not yet allocated.
std::atomic<std::uint64_t> outstanding{0};

/// Sums of bytes over all ranks of a node, for the windows of all groups.
struct NodeBytes {
  std::uint64_t wanted = 0;
  std::uint64_t promised = 0; ///< reserved in existing windows

  /// Computes the sums over the ranks of the node that request windows. Collective over these
  /// ranks.
  NodeBytes(std::size_t bytes, MPI_Comm node) {
    std::array<std::uint64_t, 2> sums{bytes, outstanding};
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_UINT64_T, MPI_SUM, node),
               "MPI_Allreduce");
    wanted = sums[0];
    promised = sums[1];
  }

  /// Returns true if free memory suffices for all reserved bytes, and a little for MPI itself.
  bool have_room() const { return fit(free_shared_memory()); }
  /// Returns true if memory would also suffice if all `ranks` requested as much as the `requesting`
  /// ones do.
  bool leave_room(int requesting, int ranks) const {
    return fit(free_shared_memory() / static_cast<std::uint64_t>(ranks) *
               static_cast<std::uint64_t>(requesting));
  }

private:
  bool fit(std::uint64_t room) const {
    const std::uint64_t sum = wanted + promised;
    return sum + sum / 8 < room;
  }
};

} // namespace

SharedWindow::SharedWindow(MPI_Comm node)
    : node_(node), rank_(mpi::rank(node)), segments_(static_cast<std::size_t>(mpi::size(node))) {}

SharedWindow::~SharedWindow() {
  outstanding -= static_cast<std::size_t>(halves()) * (promised_ - populated_);
  if (window_ == MPI_WIN_NULL || !mpi::running()) return;
  // Freeing a window is collective, so if one rank leaks it, all ranks of the node leak it.
  int left = left_ ? 1 : 0;
  const int code = MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT, MPI_MAX, node_);
  if (code != MPI_SUCCESS || left != 0) return;
  if (locked_) MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

bool SharedWindow::allocate(std::size_t bytes, bool halves, MPI_Comm all) {
  bytes_ = bytes;
  half_ = halves ? bytes : 0;
  void *base = nullptr;
  // One additional page lets the data begin at a page, because streamed stores need complete cache
  // lines.
  const bool made =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + half_ + page_bytes()), 1, MPI_INFO_NULL,
                              node_, static_cast<void *>(&base), &window_) == MPI_SUCCESS;
  if (!mpi::everywhere(all, [made] { return made; })) {
    // Freeing a window is collective, so a window made by some ranks only is leaked.
    window_ = MPI_WIN_NULL;
    return false;
  }
  return true;
}

bool SharedWindow::find_segments() {
  if (locked_) return true;
  MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  locked_ = MPI_Win_lock_all(MPI_MODE_NOCHECK, window_) == MPI_SUCCESS;
  bool ok = locked_;
  for (std::size_t r = 0; r < segments_.size(); ++r) {
    MPI_Aint size = 0;
    int unit = 1;
    void *segment = nullptr;
    ok = ok && MPI_Win_shared_query(window_, static_cast<int>(r), &size, &unit,
                                    static_cast<void *>(&segment)) == MPI_SUCCESS;
    if (ok) segments_[r] = next_page(segment);
  }
  return ok;
}

void SharedWindow::promise(std::size_t bytes) {
  outstanding += static_cast<std::size_t>(halves()) * more(bytes);
  promised_ += more(bytes);
}

bool SharedWindow::populate(std::size_t bytes) {
  if (bytes <= populated_) return true;
  bool taken = hybridfft::populate(first(), populated_, bytes);
  if (half_ > 0) taken = hybridfft::populate(first() + half_, populated_, bytes) && taken;
  if (!taken) return false;
  outstanding -= static_cast<std::size_t>(halves()) * (bytes - populated_);
  populated_ = bytes;
  return true;
}

void WindowUse::begin() {
  if (!populated)
    mpi::all_or_none(all->get(), [&] {
      require(window->populate(bytes), HFFT_ERROR_OUT_OF_MEMORY,
              "no shared memory is left for " + std::to_string(bytes) +
                  " bytes of an exchange: see df /dev/shm");
    });
  populated = true;
  window->begin();
}

void SharedWindow::begin() {
  if (in_use && half_ > 0)
    second_ = !second_;
  else if (in_use)
    synchronise();
  in_use = false;
}

void SharedWindow::synchronise() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  mpi::check(MPI_Win_sync(window_), "MPI_Win_sync");
  mpi::check(MPI_Barrier(node_), "MPI_Barrier");
  mpi::check(MPI_Win_sync(window_), "MPI_Win_sync");
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Searches for a window for an exchange. One reduction examines the windows of the communicator on
/// all ranks. Groups that request windows jointly all take part in it, so they come to the same
/// decision.
class WindowSearch {
public:
  WindowSearch(Communicator &comm, const WindowRequest &request)
      : comm_(comm), all_(request.all != nullptr ? *request.all : comm), request_(request),
        node_of_all_(nodes_of(all_)->comm()) {
    enum : std::size_t { none, bytes, lack_of_halves, halves, more_of_halves, lack, any, more };
    std::array<std::int64_t, 8> n{};
    mpi::all_or_none(
        all_.get(),
        [&] {
          node_ = nodes_of(comm)->comm();
          const std::optional<std::size_t> wanted = request.bytes();
          bytes_ = wanted.value_or(0);
          n[none] = wanted ? 0 : 1;
          n[bytes] = static_cast<std::int64_t>(bytes_);
          n[lack_of_halves] = 0;
          for (const bool in_halves : {false, true}) {
            const auto &w = kept_[in_halves] = comm.windows[in_halves].lock();
            n[in_halves ? halves : any] = w ? static_cast<std::int64_t>(w->bytes_) : 0;
            n[in_halves ? more_of_halves : more] =
                w ? static_cast<std::int64_t>(w->more(bytes_)) : 0;
          }
          n[lack_of_halves] = -n[halves];
          n[lack] = kept_[0] && kept_[0]->bytes_ >= bytes_ ? 0 : 1;
        },
        n);
    wanted_ = n[none] == 0;
    largest_ = static_cast<std::size_t>(n[bytes]);
    const auto half = static_cast<std::size_t>(n[halves]);
    // A window in halves has the same size on all ranks.
    found_[1] = {-n[lack_of_halves] >= n[bytes], n[more_of_halves] > 0, half, half > 0};
    found_[0] = {n[lack] == 0, n[more] > 0, kept_[0] ? kept_[0]->bytes_ : 0, n[any] > 0};
  }

  bool run() {
    if (!wanted_) return false;
    if (largest_ > 0 && largest_ <= request_.largest_half && obtain(true)) return true;
    return obtain(false);
  }

private:
  /// An existing window of the communicator, undivided or in halves, as seen by all ranks.
  struct Found {
    bool fits = false;      ///< true if it has the needed size on all ranks
    bool short_of = false;  ///< true if some rank has reserved fewer bytes than needed
    std::size_t before = 0; ///< bytes before it grows
    bool may_grow = false;  ///< true if some rank has such a window
  };

  bool obtain(bool in_halves) {
    const Found &found = found_[in_halves];
    const std::size_t times = in_halves ? 2 : 1;
    std::shared_ptr<SharedWindow> &window = kept_[in_halves];
    bool room = true;
    scarce_ = false;
    if (!found.fits) {
      // Growth by at least half limits the number of windows when each plan is larger than the
      // last. Pages are allocated only when used.
      const std::size_t needed = in_halves ? largest_ : bytes_;
      std::size_t wanted = segment_bytes(std::max(needed, found.before + found.before / 2));
      bool fits = reserve(times * wanted, window);
      if (!fits && found.may_grow) {
        wanted = segment_bytes(needed);
        fits = reserve(times * wanted, window);
      }
      if (!fits || !window->allocate(wanted, in_halves, all_.get())) return false;
    } else if (found.short_of) {
      room = has_room(NodeBytes(times * window->more(bytes_), node_of_all_));
    }
    const bool taken = mpi::everywhere(all_.get(), [&] {
      if (!room || !window->find_segments()) return false;
      window->promise(bytes_);
      if ((scarce_ || request_.pages == Pages::now) && !window->populate(bytes_)) return false;
      request_.use(window);
      return true;
    });
    if (taken) comm_.windows[in_halves] = window;
    return taken;
  }

  /// Makes a window without allocating its pages, if all ranks have room for this many bytes.
  bool reserve(std::size_t bytes, std::shared_ptr<SharedWindow> &window) {
    const NodeBytes sum(bytes, node_of_all_);
    // A rank maps only the segments of its own group.
    const std::uint64_t mapped = &all_ == &comm_ ? sum.wanted : NodeBytes(bytes, node_).wanted;
    return mpi::everywhere(all_.get(), [&] {
      const auto ranks = static_cast<std::uint64_t>(mpi::size(node_));
      const std::uint64_t file = mapped + ranks * page_bytes();
      if (!can_map(file) || !can_share(file) || !has_room(sum)) return false;
      window.reset(new SharedWindow(node_));
      return true;
    });
  }

  /// Returns true if memory suffices now. Plans of other ranks may reserve the same memory later.
  /// If it would not suffice for all of them, pages are allocated at once.
  bool has_room(const NodeBytes &bytes) {
    scarce_ = !bytes.leave_room(all_.size(), mpi::size(MPI_COMM_WORLD));
    return bytes.have_room();
  }

  Communicator &comm_;
  Communicator &all_; ///< ranks that request windows jointly
  const WindowRequest &request_;
  MPI_Comm node_of_all_;          ///< the requesting ranks on this node
  MPI_Comm node_ = MPI_COMM_NULL; ///< ranks sharing this window
  bool wanted_ = true;            ///< true if all groups need a window
  bool scarce_ = false;           ///< true if the room may not suffice for other ranks
  std::size_t bytes_ = 0;         ///< bytes wanted by this rank
  std::size_t largest_ = 0;       ///< maximum of the bytes wanted by any rank
  std::array<std::shared_ptr<SharedWindow>, 2>
      kept_; ///< the communicator's windows: first the undivided one, then the one in halves
  std::array<Found, 2> found_;
};

bool acquire_window(Communicator &comm, const WindowRequest &request) {
  return WindowSearch(comm, request).run();
}

} // namespace hybridfft::exchange
