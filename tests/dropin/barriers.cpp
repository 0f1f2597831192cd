/// Replaces MPI_Barrier by a version that counts, through MPI's profiling interface.
#include "barriers.h"

#include <mpi.h>

namespace {

long count = 0;

} // namespace

namespace dropin {

long barriers() { return count; }

} // namespace dropin

extern "C" __attribute__((visibility("default"))) int MPI_Barrier(MPI_Comm comm) {
  ++count;
  return PMPI_Barrier(comm);
}
