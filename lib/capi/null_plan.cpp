#include "capi/null_plan.h"

#include <mpi.h>

#include <cstdio>
#include <mutex>

#include "base/error.h"
#include "base/mpi.h"
#include "capi/last_error.h"

namespace hybridfft::capi {

namespace {

struct PlanFailure {
  std::mutex mutex;
  std::string reason;
};

/// The object lives until the process ends, because destructors of global objects may plan.
PlanFailure &last_failure() {
  static auto *instance = new PlanFailure;
  return *instance;
}

std::string message() {
  const std::lock_guard lock(last_failure().mutex);
  const std::string &reason = last_failure().reason;
  return "execution of a NULL plan" +
         (reason.empty() ? std::string() : ": the last plan failed: " + reason);
}

/// Returns an MPI error code with this text; MPI_ERR_OTHER if MPI has no more codes.
int code_with(std::string text) {
  static const int code = []() -> int {
    int error_class = MPI_ERR_OTHER;
    int error_code = MPI_ERR_OTHER;
    if (MPI_Add_error_class(&error_class) != MPI_SUCCESS ||
        MPI_Add_error_code(error_class, &error_code) != MPI_SUCCESS)
      return MPI_ERR_OTHER;
    return error_code;
  }();
  if (code == MPI_ERR_OTHER) return code;
  if (text.size() >= MPI_MAX_ERROR_STRING) text.resize(MPI_MAX_ERROR_STRING - 1);
  MPI_Add_error_string(code, text.data());
  return code;
}

/// Returns true if MPI's default handler is still in place; it ends the job.
bool ends_the_job() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler) != MPI_SUCCESS) return false;
  const bool fatal = handler == MPI_ERRORS_ARE_FATAL;
  MPI_Errhandler_free(&handler);
  return fatal;
}

void call_error_handler(const std::string &text) {
  // Open MPI loses the message in programs started without mpirun.
  if (ends_the_job()) std::fprintf(stderr, "libhybridfft: %s\n", text.c_str());
  MPI_Comm_call_errhandler(MPI_COMM_WORLD, code_with(text));
}

} // namespace

void remember_plan_failure(const std::string &reason) noexcept {
  const std::lock_guard lock(last_failure().mutex);
  run_reporting([&] { last_failure().reason = reason; },
                [](hfft_error, const char *) { last_failure().reason.clear(); });
}

int report_null_plan() noexcept {
  bool running = false;
  const int result = guarded([&] {
    mpi::require_running();
    running = true;
    throw Failure(HFFT_ERROR_NULL_POINTER, message());
  });
  if (running) guarded([] { call_error_handler(last_error_message()); });
  return result;
}

} // namespace hybridfft::capi
