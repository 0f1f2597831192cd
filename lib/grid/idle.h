/// Passes the time while a rank waits for an event that no request of MPI completes.
#pragma once

#include <mpi.h>

namespace hybridfft::grid {

class Idle {
public:
  /// \param comm MPI is to go on with what this rank sends and receives, for others may wait for
  ///             that first
  explicit Idle(MPI_Comm comm) : comm_(comm) {}

  /// Passes the time between two looks at what is waited for. Throws Error(HFFT_ERROR_MPI).
  void pause();

private:
  MPI_Comm comm_;
  int pauses_ = 0;
};

} // namespace hybridfft::grid
