/// Conversion of MPI return codes to exceptions, and the agreement of ranks on failures.
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

/// Throws Failure(HFFT_ERROR_MPI) with the call's name unless code is MPI_SUCCESS.
void check(int code, const char *call);

/// Makes MPI return failures of MPI_Wait, MPI_Test and similar calls as codes while the object
/// exists. MPICH passes these failures to the error handler of MPI_COMM_WORLD instead of the
/// communicator's, and the default handler ends the job. With other MPI libraries the object does
/// nothing. With MPI_THREAD_MULTIPLE it does nothing either, because all threads share this
/// handler.
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
  // Not defaulted: compilers would then warn of unused objects.
  ReturnedErrors() noexcept {} // NOLINT(modernize-use-equals-default)
#endif
};

/// Returns true after MPI_Init and before MPI_Finalize. It returns false in a child made by fork()
/// from a process with MPI, because the child must not touch the parent's messages and locks.
bool running();

/// Returns true in a fork() child of a process with MPI. OpenMP's threads do not exist there
/// either.
bool forked();

/// Returns a message if the MPI library at run time is of another kind than that of the build (Open
/// MPI, or MPICH and its relatives); else empty. The result is the same on all ranks, so callers
/// check it before any agreement.
const std::string &foreign();

/// Throws Failure(HFFT_ERROR_MPI_NOT_RUNNING) unless MPI runs, and Failure(HFFT_ERROR_MPI) if it is
/// foreign.
void require_running();

/// rank() returns the caller's rank in `comm`; size() returns the number of ranks.
int rank(MPI_Comm comm);
int size(MPI_Comm comm);

/// Returns MPI's datatype of float or double.
template <class Real> MPI_Datatype type_of();
template <> inline MPI_Datatype type_of<float>() { return MPI_FLOAT; }
template <> inline MPI_Datatype type_of<double>() { return MPI_DOUBLE; }

/// Runs `step` on every rank. If it throws on any rank, every rank of comm throws a Failure with
/// the largest code, and the reason of the lowest rank with this code. Exceptions other than
/// Failure become HFFT_ERROR_OUT_OF_MEMORY (bad_alloc) or HFFT_ERROR_INTERNAL. Nothing is allocated
/// before the agreement, so a rank without memory still joins the others. Without a failure, each
/// number of `largest`, set by `step`, becomes the maximum over all ranks in the same reduction.
/// All ranks pass equally many, at most `max_numbers`. Collective.
template <class F>
void all_or_none(MPI_Comm comm, const F &step, std::span<std::int64_t> largest = {});

inline constexpr std::size_t max_numbers = 64;

/// Implements all_or_none without a template. `step` refers to a callable, so std::function
/// allocates nothing.
void all_or_none_by_reference(MPI_Comm comm, const std::function<void()> &step,
                              std::span<std::int64_t> largest);

template <class F> void all_or_none(MPI_Comm comm, const F &step, std::span<std::int64_t> largest) {
  all_or_none_by_reference(comm, std::cref(step), largest);
}

/// Throws Failure with the text returned by `reason()`, or without a text if memory is exhausted,
/// so that failures of all ranks have the same code.
template <class F> [[noreturn]] void fail(hfft_error code, const F &reason) {
  try {
    throw Failure(code, reason());
  } catch (const std::bad_alloc &) {
    throw Failure(code, "");
  }
}

/// Returns true if `step()` returns true on all ranks. If it throws, all ranks throw, as
/// all_or_none does. Collective.
template <class F> bool everywhere(MPI_Comm comm, const F &step) {
  std::int64_t somewhere_not = 0;
  all_or_none(comm, [&] { somewhere_not = step() ? 0 : 1; }, {&somewhere_not, 1});
  return somewhere_not == 0;
}

} // namespace hybridfft::mpi
