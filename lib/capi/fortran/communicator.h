/// Conversion of Fortran communicators.
#pragma once

#include <mpi.h>

namespace hybridfft::capi {

/// Returns the communicator of a Fortran integer. Without a running MPI the conversion is
/// impossible: the result is MPI_COMM_NULL, and every function refuses it.
inline MPI_Comm communicator(MPI_Fint number) {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0 ? MPI_Comm_f2c(number) : MPI_COMM_NULL;
}

} // namespace hybridfft::capi
