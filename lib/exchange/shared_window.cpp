#include "exchange/shared_window.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/mpi.h"
#include "base/shared_memory.h"
#include "exchange/nodes.h"

namespace hybridfft::exchange {

namespace {

/// Free bytes where MPI libraries keep shared memory; no limit where that is unknown. They would
/// notice the lack too, but print.
std::uint64_t free_shared_memory() {
  struct statvfs info {};
  if (statvfs("/dev/shm", &info) != 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

/// MPI libraries put data of their own before the segments (Open MPI 4.1: 264 bytes). As segments
/// are whole pages, all of them are equally far off.
std::byte *next_page(void *segment) {
  const auto page = static_cast<std::uintptr_t>(page_bytes());
  const auto address = reinterpret_cast<std::uintptr_t>(segment);
  return static_cast<std::byte *>(segment) + ((address + page - 1) / page * page - address);
}

/// At least one page, so that every segment begins where elements may.
std::size_t segment_bytes(std::size_t bytes) { return std::max(whole_pages(bytes), page_bytes()); }

/// True on all ranks if on all of them.
bool everywhere(bool ok, MPI_Comm comm) {
  int all = ok ? 1 : 0;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  return all != 0;
}

/// Can this process map the segments of all ranks of the node? MPI libraries that cannot fail on
/// some ranks only, and then hang or crash: so it is tried before.
bool can_map_all(std::size_t bytes, MPI_Comm node) {
  std::uint64_t sum = bytes + page_bytes();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, node), "MPI_Allreduce");
  return can_map(sum);
}

/// Bytes of this process's windows that are promised and not taken yet.
std::atomic<std::uint64_t> outstanding{0};

/// Room for the segments of all ranks of the node beside what they have been promised, and a little
/// for MPI itself.
bool has_room(std::size_t bytes, MPI_Comm node) {
  std::uint64_t sum = bytes + outstanding;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, node), "MPI_Allreduce");
  return sum + sum / 8 < free_shared_memory();
}

/// The largest number of bytes of any rank.
std::size_t largest(std::size_t bytes, MPI_Comm comm) {
  std::uint64_t most = bytes;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
  return most;
}

} // namespace

SharedWindow::SharedWindow(MPI_Comm node)
    : node_(node), rank_(mpi::rank(node)), segments_(static_cast<std::size_t>(mpi::size(node))) {}

SharedWindow::~SharedWindow() {
  outstanding -= static_cast<std::size_t>(halves()) * (promised_ - populated_);
  if (window_ == MPI_WIN_NULL || !mpi::running()) return;
  if (locked_) MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

bool SharedWindow::allocate(std::size_t bytes, bool halves, MPI_Comm all) {
  bytes_ = bytes;
  half_ = halves ? bytes : 0;
  void *base = nullptr;
  // One page more, so that the data can begin at a page: streamed stores need whole cache lines.
  const bool made =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + half_ + page_bytes()), 1, MPI_INFO_NULL,
                              node_, static_cast<void *>(&base), &window_) == MPI_SUCCESS;
  if (!everywhere(made, all)) {
    // Freeing is collective: what only some ranks have made is left as it is.
    window_ = MPI_WIN_NULL;
    return false;
  }
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
  return everywhere(ok, all);
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

std::shared_ptr<SharedWindow> acquire_window(Communicator &comm, std::size_t bytes, Pages pages,
                                             std::size_t half) {
  MPI_Comm node = nodes_of(comm)->comm();
  const std::size_t times = half > 0 ? 2 : 1;
  const std::size_t needed = std::max(bytes, half);
  std::weak_ptr<SharedWindow> &kept = comm.windows[times - 1];
  std::shared_ptr<SharedWindow> window = kept.lock();
  if (!everywhere(window && window->bytes_ >= needed, comm.get())) {
    // Growing by half at least keeps the windows of ever larger plans few. Nothing but addresses
    // is taken before it is needed.
    const std::size_t before = window ? window->bytes_ : 0;
    std::size_t wanted = segment_bytes(std::max(needed, before + before / 2));
    if (half > 0) wanted = largest(wanted, comm.get());
    const auto fits = [&](std::size_t size) {
      const bool room = has_room(size, node);
      return everywhere(can_map_all(size, node) && room, comm.get());
    };
    if (!fits(times * wanted)) wanted = segment_bytes(needed);
    if (!fits(times * wanted)) return nullptr;
    mpi::all_or_none(comm.get(), [&] { window.reset(new SharedWindow(node)); });
    if (!window->allocate(wanted, half > 0, comm.get())) return nullptr;
  } else if (!everywhere(has_room(times * window->more(bytes), node), comm.get())) {
    return nullptr;
  }
  window->promise(bytes);
  if (pages == Pages::now && !everywhere(window->populate(bytes), comm.get())) return nullptr;
  kept = window;
  return window;
}

} // namespace hybridfft::exchange
