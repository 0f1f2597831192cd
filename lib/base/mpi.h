/// MPI return codes as exceptions, and the agreement of ranks on failures.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>

#include "base/error.h"
#include "hybridfft/mpi_kind.h"

namespace hybridfft::mpi {

/// Throws Failure(HFFT_ERROR_MPI) naming the call unless code is MPI_SUCCESS.
void check(int code, const char *call);

/// While alive, MPI returns failures of the completion of requests (MPI_Wait, MPI_Test and others)
/// as codes. MPICH passes them to the error handler of MPI_COMM_WORLD instead of the
/// communicator's, and the default one ends the job. Does nothing for other MPI libraries, nor with
/// MPI_THREAD_MULTIPLE: all threads have this handler.
class ReturnedErrors {
public:
  ReturnedErrors(const ReturnedErrors &) = delete;
  ReturnedErrors &operator=(const ReturnedErrors &) = delete;
#ifdef HFFT_MPI_IS_MPICH
  ReturnedErrors() noexcept;
  ~ReturnedErrors();

private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
#else
  ReturnedErrors() noexcept {} // NOLINT(modernize-use-equals-default): then it would be unused
#endif
};

/// MPI runs: after MPI_Init and before MPI_Finalize. False in a child of fork() whose parent ran
/// MPI: messages and locks of the parent must not be touched there.
bool running();

/// This process is such a child. Threads of OpenMP's team do not exist in it either.
bool forked();

/// The reason why the library cannot use the MPI of this program, which may be of another kind than
/// the one that it was compiled for: Open MPI, or MPICH and its relatives. Empty if it can. The
/// same on all ranks, so that callers check it before ranks agree on anything.
const std::string &foreign();

/// Throws Failure(HFFT_ERROR_MPI_NOT_RUNNING) unless MPI runs, and Failure(HFFT_ERROR_MPI) where it
/// is foreign.
void require_running();

/// The caller's rank in comm, and the number of ranks.
int rank(MPI_Comm comm);
int size(MPI_Comm comm);

/// MPI's name for float or double.
template <class Real> MPI_Datatype type_of();
template <> inline MPI_Datatype type_of<float>() { return MPI_FLOAT; }
template <> inline MPI_Datatype type_of<double>() { return MPI_DOUBLE; }

/// Runs `step` on every rank; when it threw on any rank, throws on every rank of comm a Failure
/// with the same code (the largest one) and the reason of the lowest failing rank. Collective.
/// Exceptions other than Failure become HFFT_ERROR_OUT_OF_MEMORY (bad_alloc) or
/// HFFT_ERROR_INTERNAL. Takes no memory before the ranks have agreed, so that a rank without any
/// meets the others. If no rank failed, each of the numbers `largest`, which `step` may set, has
/// become the largest one of all ranks, in the same reduction: as many on every rank, at most
/// `most_numbers`.
template <class F>
void all_or_none(MPI_Comm comm, const F &step, std::span<std::int64_t> largest = {});

inline constexpr std::size_t most_numbers = 64;

/// all_or_none behind its template: `step` is a reference, for which std::function takes no memory.
void all_or_none_by_reference(MPI_Comm comm, const std::function<void()> &step,
                              std::span<std::int64_t> largest);

template <class F> void all_or_none(MPI_Comm comm, const F &step, std::span<std::int64_t> largest) {
  all_or_none_by_reference(comm, std::cref(step), largest);
}

/// Throws Failure with the reason that `reason()` returns, without one where there is no memory for
/// it: where all ranks fail, all have the same code.
template <class F> [[noreturn]] void fail(hfft_error code, const F &reason) {
  try {
    throw Failure(code, reason());
  } catch (const std::bad_alloc &) {
    throw Failure(code, "");
  }
}

/// True if `step()` is true on all ranks. Collective; fails as all_or_none does.
template <class F> bool everywhere(MPI_Comm comm, const F &step) {
  std::int64_t somewhere_not = 0;
  all_or_none(comm, [&] { somewhere_not = step() ? 0 : 1; }, {&somewhere_not, 1});
  return somewhere_not == 0;
}

} // namespace hybridfft::mpi
