#include "message_bytes.h"

#include <mpi.h>

namespace {
long long sent = 0;
}

long long hybridfft::test::sent_bytes() { return sent; }

// The profiling interface of MPI (MPI 3.1, section 14.2): a program may define MPI_X over PMPI_X.
extern "C" int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm comm, MPI_Request *request) {
  MPI_Count bytes = 0;
  PMPI_Type_size_x(type, &bytes);
  sent += count * static_cast<long long>(bytes);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
