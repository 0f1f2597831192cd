/// Handles of the C interface: plans behind hfft_plan, and failures of their creation.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "capi/errors.h"
#include "plan/arguments.h"
#include "plan/plan.h"

// Objects of the C handles, and common implementations of the C functions of both precisions.

/// Objects of hfft_plan and hfftf_plan; they own the plans. Opaque to users.
struct hfft_plan_s {
  std::unique_ptr<hybridfft::plan::Plan> plan;
};
struct hfftf_plan_s {
  std::unique_ptr<hybridfft::plan::Plan> plan;
};

namespace hybridfft::capi {

// Executions of NULL plans. They call MPI's error handler, because programs written for FFTW never
// check return codes.

/// Stores the reason why the last plan call of this process returned NULL.
void remember_plan_failure(const std::string &reason) noexcept;

/// Handles the execution of a NULL plan. Sets the last error to the stored reason, and calls the
/// error handler of MPI_COMM_WORLD with an MPI error code whose text is this reason. If the handler
/// is MPI_ERRORS_ARE_FATAL, this function first prints the reason on standard error. Returns
/// HFFT_ERROR_NULL_POINTER if the handler returns. If MPI does not run, no handler is called, and
/// the error is HFFT_ERROR_MPI_NOT_RUNNING.
int report_null_plan() noexcept;

// Common implementations of the C functions.

/// Throws Failure unless MPI runs and comm is an intracommunicator.
void require_communicator(MPI_Comm comm);

/// The user's arguments for a plan between slabs, except for the options.
struct SlabCall {
  int kind; ///< a value of enum hfft_kind
  int rank;
  const std::ptrdiff_t *n;
  void *in;
  void *out;
  int sign;
  bool pruned = false; ///< true for a pruned transform, whose options must set modes
  std::size_t real_bytes = sizeof(double);
};

/// Makes a plan on all ranks, or throws Failure on all. Every rank first calls prepare(); if it
/// throws on any rank, all ranks throw. `options` may be null.
std::unique_ptr<plan::Plan> create(const SlabCall &call, MPI_Comm comm, const hfft_options *options,
                                   const std::function<void()> &prepare);

/// Creates the plan of a transposition like create() above. The number of threads and the time
/// limit are the process's defaults.
std::unique_ptr<plan::Plan> create(plan::TranspositionArguments arguments, MPI_Comm comm,
                                   const std::function<void()> &prepare);

/// Returns the handle of the plan made by make(prepare). prepare() allocates the handle; `make`
/// must call it before the ranks agree on failures. If `make` throws, new_handle() returns nullptr
/// and stores the error message; a later execution of this NULL plan reports it.
template <class Handle, class Make> Handle *new_handle(const Make &make) {
  std::unique_ptr<Handle> handle;
  const auto prepare = [&] { handle = std::make_unique<Handle>(); };
  if (guarded([&] {
        auto plan = make(prepare);
        handle->plan = std::move(plan);
      }) != HFFT_SUCCESS) {
    handle.reset();
    remember_plan_failure(last_error_message());
  }
  return handle.release();
}

/// Returns the plan. Throws Failure if it is null.
inline plan::Plan &require_plan(plan::Plan *plan) {
  if (plan == nullptr) throw Failure(HFFT_ERROR_NULL_POINTER, "the plan is NULL");
  return *plan;
}

/// Executes a plan. Throws Failure for a null plan or array, or a plan of another kind or
/// placement.
void execute(plan::Plan *plan, plan::Kind kind, void *in, void *out);

/// Starts an execution, with the same checks as execute().
void start(plan::Plan *plan, plan::Kind kind, void *in, void *out);

/// Stores the profiles of the plan's first `capacity` stages at `stages`, and sets *count to the
/// number of its stages. Both pointers may be null. Collective unless `stages` is null.
void profile(plan::Plan *plan, hfft_stage_profile *stages, int capacity, int *count);

/// The user's pointers for the number of rows of a block and its start; each may be null.
struct LocalBlock {
  std::ptrdiff_t *count;
  std::ptrdiff_t *start;
};

/// Returns the number of complex elements to allocate on this rank. Stores this rank's blocks of
/// the first two dimensions at the pointers of `first` and `second`.
std::ptrdiff_t local_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                          std::ptrdiff_t block0, std::ptrdiff_t block1, MPI_Comm comm,
                          std::size_t real_bytes, LocalBlock first, LocalBlock second);

/// Returns the number of complex elements to allocate on this rank for a 1D transform. Stores this
/// rank's blocks of the input and of the output at the pointers of `in` and `out`.
std::ptrdiff_t local_size_line(std::ptrdiff_t n, std::ptrdiff_t howmany, MPI_Comm comm,
                               unsigned flags, std::size_t real_bytes, LocalBlock in,
                               LocalBlock out);

/// Returns the number of complex elements to allocate on this rank for the grid of a pruned
/// transform. An in-place plan also stores its spectrum and its intermediate results in the array
/// of the grid. `n` and `modes` are extents of complex arrays.
std::ptrdiff_t local_size_pruned(int rank, const std::ptrdiff_t *n, const std::ptrdiff_t *modes,
                                 std::ptrdiff_t howmany, std::ptrdiff_t block0,
                                 std::ptrdiff_t block1, MPI_Comm comm, std::size_t real_bytes);

} // namespace hybridfft::capi
