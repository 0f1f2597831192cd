/// MPI return codes as exceptions, and the agreement of ranks on failures.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

namespace hybridfft::mpi {

/// Throws Failure(HFFT_ERROR_MPI) naming the call unless code is MPI_SUCCESS.
void check(int code, const char *call);

/// MPI runs: after MPI_Init and before MPI_Finalize.
bool running();

/// Why the library cannot use the MPI of this program, which may be of another kind than the one
/// that it was compiled for: Open MPI, or MPICH and its relatives. Empty if it can. The same on all
/// ranks, so that it is to be asked before ranks agree on anything.
const std::string &foreign();

/// Throws Failure(HFFT_ERROR_MPI_NOT_RUNNING) unless MPI runs, and Failure(HFFT_ERROR_MPI) where it
/// is foreign.
void require_running();

int rank(MPI_Comm comm);
int size(MPI_Comm comm);

/// MPI's name for float or double.
template <class Real> MPI_Datatype type_of();
template <> inline MPI_Datatype type_of<float>() { return MPI_FLOAT; }
template <> inline MPI_Datatype type_of<double>() { return MPI_DOUBLE; }

/// Runs `step` on every rank; when it threw on any rank, throws on every rank of comm a Failure
/// with the same code (the largest one) and the reason of the lowest failing rank. Collective.
/// Exceptions other than Failure become HFFT_ERROR_OUT_OF_MEMORY (bad_alloc) or
/// HFFT_ERROR_INTERNAL.
/// Takes no memory before the ranks have agreed, so that a rank without any meets the others.
template <class F> void all_or_none(MPI_Comm comm, const F &step);

/// all_or_none behind its template: `step` is a reference, for which std::function takes no memory.
void all_or_none_by_reference(MPI_Comm comm, const std::function<void()> &step);

template <class F> void all_or_none(MPI_Comm comm, const F &step) {
  all_or_none_by_reference(comm, std::cref(step));
}

} // namespace hybridfft::mpi
