/// Messages of the drop-in on stderr: with HFFT_DROPIN_LOG=1 the library of each plan and its
/// times, and wrong environment variables.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace hybridfft::fftw3_mpi {

/// Returns true if HFFT_DROPIN_LOG enables the log.
bool logging() noexcept;

/// Returns the value of a variable, one of `words`. Other values are ignored, because FFTW's
/// functions cannot report errors.
std::string environment_word(const char *name, const std::vector<std::string> &words) noexcept;

/// Treats a variable as not set; warn_of_environment() reports the reason.
void ignore_variable(const std::string &name, const std::string &reason);

/// Prints lines from rank 0 of the communicator, each once per process: unknown variables HFFT_*,
/// ignored values, a locked wisdom file.
void warn_of_environment(MPI_Comm comm) noexcept;

/// Prints a line from rank 0 of the communicator.
void log_line(MPI_Comm comm, const std::string &line);

/// Starts timing executions of `plan`, of either library, if the log is enabled. `what` names the
/// problem and the library.
void log_plan(const void *plan, MPI_Comm comm, const std::string &what);
/// Prints the number and time of the executions of a destroyed plan.
void log_destroyed(const void *plan);

/// Times an execution of `plan`, if logging. Nested executions are not timed: FFTW-MPI's execute
/// functions call functions of libfftw3, and these arrive here again.
class LoggedExecution {
public:
  explicit LoggedExecution(const void *plan) noexcept
      : plan_(logging() && !active ? plan : nullptr) {
    if (plan_ == nullptr) return;
    active = true;
    begin_ = MPI_Wtime();
  }
  ~LoggedExecution() {
    if (plan_ == nullptr) return;
    count(plan_, MPI_Wtime() - begin_);
    active = false;
  }
  LoggedExecution(const LoggedExecution &) = delete;
  LoggedExecution &operator=(const LoggedExecution &) = delete;

private:
  static void count(const void *plan, double seconds) noexcept;
  static thread_local bool active;
  const void *plan_;
  double begin_ = 0;
};

} // namespace hybridfft::fftw3_mpi
