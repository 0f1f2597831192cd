/// Communicators as Fortran has them.
#pragma once

#include <mpi.h>

namespace hybridfft::capi {

/// The communicator of a number; MPI_COMM_NULL, which every function refuses, while MPI does not
/// run and cannot convert it.
inline MPI_Comm communicator(MPI_Fint number) {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0 ? MPI_Comm_f2c(number) : MPI_COMM_NULL;
}

} // namespace hybridfft::capi
