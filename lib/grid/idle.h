/// Waits for an event without a request of MPI.
#pragma once

#include <mpi.h>

namespace hybridfft::grid {

/// Pauses between tests for an event. It spins for some microseconds first; later it calls MPI and
/// yields the core to other ranks.
class Idle {
public:
  /// \param comm communicator for calls of MPI. These calls advance this rank's messages; other
  /// ranks may wait for them
  explicit Idle(MPI_Comm comm) : comm_(comm) {}

  /// Pauses between two tests.
  /// \throws Error(HFFT_ERROR_MPI)
  void pause();

private:
  MPI_Comm comm_;
  int pauses_ = 0;
};

} // namespace hybridfft::grid
