#include "grid/shared_channel.h"

#include <thread>
#include <utility>

#include "base/mpi.h"

namespace hybridfft::grid {

namespace {

/// No message has this tag: those of exchanges between neighbours end before it.
constexpr int unused_tag = 32000;

/// Lets the other thread of a core work, where the CPU can.
void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

} // namespace

SharedChannel::SharedChannel(Mapping pages, Index message_bytes)
    : pages_(std::move(pages)), stride_(whole_lines(message_bytes)) {}

std::size_t SharedChannel::bytes_for(Index message_bytes) {
  return whole_pages(sizeof(Counts) + 2 * static_cast<std::size_t>(whole_lines(message_bytes)));
}

std::byte *SharedChannel::buffer(int turn) const {
  return pages_.data() + sizeof(Counts) + turn * stride_;
}

void SharedChannel::await(Count &count, Count message, MPI_Comm comm) {
  // Some microseconds, which is what a rank on a core of its own is late by. Then the core is given
  // to whoever needs it: there may be more ranks than cores.
  constexpr int spins = 200;
  for (int spin = 0; std::atomic_ref(count).load(std::memory_order_acquire) < message; ++spin) {
    if (spin < spins) {
      pause();
      continue;
    }
    int found = 0;
    mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, comm, &found, MPI_STATUS_IGNORE),
               "MPI_Iprobe");
    std::this_thread::yield();
  }
}

} // namespace hybridfft::grid
