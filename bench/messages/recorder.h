/// Records the arguments of MPI calls. Called by the functions of interposed.cpp.
#pragma once

#include <mpi.h>

namespace hybridfft::message_recorder {

/// True if messages are being counted.
bool is_on();

/// Records a message of `count` elements to a rank of comm; the rank may be MPI_PROC_NULL.
void sends(long long count, MPI_Datatype type, int to, MPI_Comm comm);
void calls_collective();

/// makes_persistent() stores the size and the receiver of a persistent request, starts() records
/// its message each time, and frees() forgets it.
void makes_persistent(MPI_Request request, long long count, MPI_Datatype type, int to,
                      MPI_Comm comm);
void starts(MPI_Request request);
void frees(MPI_Request request);

/// Stores the communicator of a window. One-sided communication refers to ranks of this
/// communicator.
void makes_window(MPI_Win window, MPI_Comm comm);
MPI_Comm communicator_of(MPI_Win window);

} // namespace hybridfft::message_recorder
