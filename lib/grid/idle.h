/// Passes the time while a rank waits for an event that no request of MPI completes.
#pragma once

#include <mpi.h>

namespace hybridfft::grid {

/// Pauses between tests for an event: at first some microseconds of spinning, later a call of MPI,
/// and the core for other ranks.
class Idle {
public:
  /// \param comm a communicator on which MPI is called, so that it progresses this rank's messages,
  ///             which others may wait for first
  explicit Idle(MPI_Comm comm) : comm_(comm) {}

  /// Passes the time between two tests. Throws Error(HFFT_ERROR_MPI).
  void pause();

private:
  MPI_Comm comm_;
  int pauses_ = 0;
};

} // namespace hybridfft::grid
