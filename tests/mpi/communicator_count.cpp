#include "communicator_count.h"

#include <mpi.h>

namespace {

int live = 0;
int reduced = 0;

int counted(int code, const MPI_Comm *made) {
  if (code == MPI_SUCCESS && *made != MPI_COMM_NULL) ++live;
  return code;
}

} // namespace

int hybridfft::test::live_communicators() { return live; }
int hybridfft::test::reductions() { return reduced; }

// MPI's profiling interface (MPI 3.1, section 14.2): a program may define MPI_X, and call PMPI_X.
// MPICH's <mpi.h> does not declare its functions as visible.
#pragma GCC visibility push(default)
extern "C" {

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++reduced;
  return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++reduced;
  return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) { return counted(PMPI_Comm_dup(comm, made), made); }

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made) {
  return counted(PMPI_Comm_dup_with_info(comm, info, made), made);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
  ++live;
  return PMPI_Comm_idup(comm, made, request);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  return counted(PMPI_Comm_split(comm, color, key, made), made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
  return counted(PMPI_Comm_split_type(comm, type, key, info, made), made);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made) {
  return counted(PMPI_Comm_create(comm, group, made), made);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made) {
  return counted(PMPI_Comm_create_group(comm, group, tag, made), made);
}

int MPI_Comm_free(MPI_Comm *comm) {
  --live;
  return PMPI_Comm_free(comm);
}

} // extern "C"
#pragma GCC visibility pop
