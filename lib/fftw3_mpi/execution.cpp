#include "fftw3_mpi/execution.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "base/error.h"
#include "base/mpi.h"
#include "fftw3_mpi/fallback.h"
#include "fftw3_mpi/log.h"

namespace hybridfft::fftw3_mpi {

namespace {

/// Number of copies of each copied plan. Never destroyed, because static destructors may destroy
/// plans.
struct Copies {
  std::mutex mutex;
  std::map<const void *, long> of;
};
Copies &copies() {
  static auto *instance = new Copies;
  return *instance;
}

/// Removes a copy; returns false if there was none.
bool remove_copy(const void *plan) {
  const std::lock_guard lock(copies().mutex);
  const auto found = copies().of.find(plan);
  if (found == copies().of.end()) return false;
  if (--found->second == 0) copies().of.erase(found);
  return true;
}

/// Reports a failed execution to stderr and to MPI's error handler.
void fail(const char *reason) noexcept {
  std::fprintf(stderr, "libhybridfft_fftw3_mpi: the execution of a plan failed: %s\n", reason);
  if (mpi::running())
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  else
    std::abort();
}

void execute(Accelerated &plan, const void *handle, void *in, void *out) noexcept {
  const LoggedExecution timed(handle);
  run_reporting([&] { plan.plan->execute(in, out); },
                [](hfft_error, const char *reason) { fail(reason); });
}

} // namespace

bool execute_ours(const void *plan) noexcept {
  if (!is_ours(plan)) return false;
  if (Accelerated *found = plan_of(plan))
    execute(*found, plan, found->planned_in, found->planned_out);
  else
    fail("it has been destroyed");
  return true;
}

bool execute_ours(const void *plan, void *in, void *out) noexcept {
  if (!is_ours(plan)) return false;
  if (Accelerated *found = plan_of(plan))
    execute(*found, plan, in, out);
  else
    fail("it has been destroyed");
  return true;
}

void copy_plan(const void *plan) {
  if (plan == nullptr) return;
  const std::lock_guard lock(copies().mutex);
  ++copies().of[plan];
}

bool destroy_ours(const void *plan) noexcept {
  if (remove_copy(plan)) return true;
  log_destroyed(plan);
  if (!is_ours(plan)) {
    // After MPI_Finalize, FFTW would free a communicator that no longer exists.
    const bool distributed = forget_fallback(plan);
    return distributed && !mpi::running();
  }
  run_reporting([&] { remove_handle(plan); }, [](hfft_error, const char *) {});
  return true;
}

std::string describe_ours(const void *plan) {
  const Accelerated *found = plan_of(plan);
  return found != nullptr ? found->plan->describe() : "no plan\n";
}

double estimated_cost(const Accelerated &plan) {
  constexpr double bytes_per_operation = 16;
  return plan.flops + plan.bytes / bytes_per_operation;
}

} // namespace hybridfft::fftw3_mpi
