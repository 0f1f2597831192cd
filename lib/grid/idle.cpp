#include "grid/idle.h"

#include <thread>

#include "base/mpi.h"

namespace hybridfft::grid {

namespace {

/// A tag without messages. The tags of exchanges between neighbours end before it.
constexpr int unused_tag = 32000;

/// Lets the other thread of a core run, if the CPU can.
void pause_core() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

} // namespace

void Idle::pause() {
  // Spins for some microseconds, the usual delay with one rank per core. Then it yields the core,
  // since there may be more ranks than cores.
  constexpr int spins = 200;
  if (pauses_ < spins) {
    ++pauses_;
    return pause_core();
  }
  int found = 0;
  mpi::check(MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, comm_, &found, MPI_STATUS_IGNORE),
             "MPI_Iprobe");
  std::this_thread::yield();
}

} // namespace hybridfft::grid
