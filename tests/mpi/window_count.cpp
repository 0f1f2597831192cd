#include "window_count.h"

#include <mpi.h>

namespace {

int live = 0;

} // namespace

int hybridfft::test::live_windows() { return live; }

// MPICH's <mpi.h> does not declare its functions as visible.
#pragma GCC visibility push(default)
extern "C" {

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window) {
  const int code = PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
  if (code == MPI_SUCCESS) ++live;
  return code;
}

int MPI_Win_free(MPI_Win *window) {
  --live;
  return PMPI_Win_free(window);
}

} // extern "C"
#pragma GCC visibility pop
