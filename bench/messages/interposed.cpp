// Replaces MPI's functions by means of its profiling interface. Each function here records the
// bytes and receivers of a call, and calls the PMPI function.

#include <mpi.h>

#include "messages/recorder.h"

using namespace hybridfft::message_recorder;

namespace {

int size_of(MPI_Comm comm) {
  int ranks = 0;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0)
    PMPI_Comm_remote_size(comm, &ranks);
  else
    PMPI_Comm_size(comm, &ranks);
  return ranks;
}

void sends_equal(int count, MPI_Datatype type, MPI_Comm comm) {
  calls_collective();
  for (int to = 0; is_on() && to < size_of(comm); ++to)
    sends(count, type, to, comm);
}

void sends_varying(const int counts[], MPI_Datatype type, MPI_Comm comm) {
  calls_collective();
  for (int to = 0; is_on() && to < size_of(comm); ++to)
    sends(counts[to], type, to, comm);
}

void sends_typed(const int counts[], const MPI_Datatype types[], MPI_Comm comm) {
  calls_collective();
  for (int to = 0; is_on() && to < size_of(comm); ++to)
    sends(counts[to], types[to], to, comm);
}

} // namespace

#define HFFT_ARGUMENTS(...) __VA_ARGS__

#define HFFT_SEND(name)                                                                            \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag,                \
                 MPI_Comm comm) {                                                                  \
    sends(count, type, to, comm);                                                                  \
    return PMPI_##name(buffer, count, type, to, tag, comm);                                        \
  }

#define HFFT_ISEND(name)                                                                           \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request *request) {                                                           \
    sends(count, type, to, comm);                                                                  \
    return PMPI_##name(buffer, count, type, to, tag, comm, request);                               \
  }

#define HFFT_SEND_INIT(name)                                                                       \
  int MPI_##name(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                 MPI_Request *request) {                                                           \
    const int status = PMPI_##name(buffer, count, type, to, tag, comm, request);                   \
    if (status == MPI_SUCCESS) makes_persistent(*request, count, type, to, comm);                  \
    return status;                                                                                 \
  }

#define HFFT_COLLECTIVE(name, parameters, arguments)                                               \
  int MPI_##name(HFFT_ARGUMENTS parameters) {                                                      \
    calls_collective();                                                                            \
    return PMPI_##name arguments;                                                                  \
  }

extern "C" {

HFFT_SEND(Send)
HFFT_SEND(Bsend)
HFFT_SEND(Rsend)
HFFT_SEND(Ssend)
HFFT_ISEND(Isend)
HFFT_ISEND(Ibsend)
HFFT_ISEND(Irsend)
HFFT_ISEND(Issend)
HFFT_SEND_INIT(Send_init)
HFFT_SEND_INIT(Bsend_init)
HFFT_SEND_INIT(Rsend_init)
HFFT_SEND_INIT(Ssend_init)

int MPI_Start(MPI_Request *request) {
  starts(*request);
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  for (int i = 0; i < count; ++i)
    starts(requests[i]);
  return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request *request) {
  frees(*request);
  return PMPI_Request_free(request);
}

int MPI_Sendrecv(const void *sent, int count, MPI_Datatype type, int to, int tag, void *received,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag,
                 MPI_Comm comm, MPI_Status *status) {
  sends(count, type, to, comm);
  return PMPI_Sendrecv(sent, count, type, to, tag, received, receive_count, receive_type, from,
                       receive_tag, comm, status);
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int tag, int from,
                         int receive_tag, MPI_Comm comm, MPI_Status *status) {
  sends(count, type, to, comm);
  return PMPI_Sendrecv_replace(buffer, count, type, to, tag, from, receive_tag, comm, status);
}

int MPI_Alltoall(const void *sent, int count, MPI_Datatype type, void *received, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
  sent == MPI_IN_PLACE ? sends_equal(receive_count, receive_type, comm)
                       : sends_equal(count, type, comm);
  return PMPI_Alltoall(sent, count, type, received, receive_count, receive_type, comm);
}

int MPI_Ialltoall(const void *sent, int count, MPI_Datatype type, void *received, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request) {
  sent == MPI_IN_PLACE ? sends_equal(receive_count, receive_type, comm)
                       : sends_equal(count, type, comm);
  return PMPI_Ialltoall(sent, count, type, received, receive_count, receive_type, comm, request);
}

int MPI_Alltoallv(const void *sent, const int counts[], const int offsets[], MPI_Datatype type,
                  void *received, const int receive_counts[], const int receive_offsets[],
                  MPI_Datatype receive_type, MPI_Comm comm) {
  sent == MPI_IN_PLACE ? sends_varying(receive_counts, receive_type, comm)
                       : sends_varying(counts, type, comm);
  return PMPI_Alltoallv(sent, counts, offsets, type, received, receive_counts, receive_offsets,
                        receive_type, comm);
}

int MPI_Ialltoallv(const void *sent, const int counts[], const int offsets[], MPI_Datatype type,
                   void *received, const int receive_counts[], const int receive_offsets[],
                   MPI_Datatype receive_type, MPI_Comm comm, MPI_Request *request) {
  sent == MPI_IN_PLACE ? sends_varying(receive_counts, receive_type, comm)
                       : sends_varying(counts, type, comm);
  return PMPI_Ialltoallv(sent, counts, offsets, type, received, receive_counts, receive_offsets,
                         receive_type, comm, request);
}

int MPI_Alltoallw(const void *sent, const int counts[], const int offsets[],
                  const MPI_Datatype types[], void *received, const int receive_counts[],
                  const int receive_offsets[], const MPI_Datatype receive_types[], MPI_Comm comm) {
  sent == MPI_IN_PLACE ? sends_typed(receive_counts, receive_types, comm)
                       : sends_typed(counts, types, comm);
  return PMPI_Alltoallw(sent, counts, offsets, types, received, receive_counts, receive_offsets,
                        receive_types, comm);
}

int MPI_Ialltoallw(const void *sent, const int counts[], const int offsets[],
                   const MPI_Datatype types[], void *received, const int receive_counts[],
                   const int receive_offsets[], const MPI_Datatype receive_types[], MPI_Comm comm,
                   MPI_Request *request) {
  sent == MPI_IN_PLACE ? sends_typed(receive_counts, receive_types, comm)
                       : sends_typed(counts, types, comm);
  return PMPI_Ialltoallw(sent, counts, offsets, types, received, receive_counts, receive_offsets,
                         receive_types, comm, request);
}

HFFT_COLLECTIVE(Barrier, (MPI_Comm comm), (comm))
HFFT_COLLECTIVE(Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
HFFT_COLLECTIVE(Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
                (buffer, count, type, root, comm))
HFFT_COLLECTIVE(Reduce,
                (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
                 int root, MPI_Comm comm),
                (sent, received, count, type, op, root, comm))
HFFT_COLLECTIVE(Allreduce,
                (const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
                 MPI_Comm comm),
                (sent, received, count, type, op, comm))
HFFT_COLLECTIVE(Gather,
                (const void *sent, int count, MPI_Datatype type, void *received, int receive_count,
                 MPI_Datatype receive_type, int root, MPI_Comm comm),
                (sent, count, type, received, receive_count, receive_type, root, comm))
HFFT_COLLECTIVE(Allgather,
                (const void *sent, int count, MPI_Datatype type, void *received, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm),
                (sent, count, type, received, receive_count, receive_type, comm))
HFFT_COLLECTIVE(Allgatherv,
                (const void *sent, int count, MPI_Datatype type, void *received,
                 const int receive_counts[], const int offsets[], MPI_Datatype receive_type,
                 MPI_Comm comm),
                (sent, count, type, received, receive_counts, offsets, receive_type, comm))

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *window) {
  const int status = PMPI_Win_create(base, size, unit, info, comm, window);
  if (status == MPI_SUCCESS) makes_window(*window, comm);
  return status;
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window) {
  const int status = PMPI_Win_allocate(size, unit, info, comm, base, window);
  if (status == MPI_SUCCESS) makes_window(*window, comm);
  return status;
}

int MPI_Put(const void *buffer, int count, MPI_Datatype type, int to, MPI_Aint at, int target_count,
            MPI_Datatype target_type, MPI_Win window) {
  const MPI_Comm comm = communicator_of(window);
  if (comm != MPI_COMM_NULL) sends(count, type, to, comm);
  return PMPI_Put(buffer, count, type, to, at, target_count, target_type, window);
}

} // extern "C"
