/// Messages of the drop-in on stderr. With HFFT_DROPIN_LOG=1 it reports the library and the times
/// of each plan. It always warns of invalid environment variables.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace hybridfft::fftw3_mpi {

/// Returns true if HFFT_DROPIN_LOG=1.
bool logging() noexcept;

/// Returns the value of an environment variable if it is one of `words`. Other values are ignored
/// with a warning, because FFTW's functions cannot report errors.
std::string environment_word(const char *name, const std::vector<std::string> &words) noexcept;

/// Treats an environment variable as not set. warn_of_environment() prints the reason.
void ignore_variable(const std::string &name, const std::string &reason);

/// Prints warnings on rank 0 of the communicator, each once per process: unknown variables HFFT_*,
/// ignored values, a locked wisdom file.
void warn_of_environment(MPI_Comm comm) noexcept;

/// Prints a line on rank 0 of the communicator if the log is enabled.
void log_line(MPI_Comm comm, const std::string &line);

/// Starts to time the executions of a plan of either library, if the log is enabled.
/// \param what problem and library, for the log
void log_plan(const void *plan, MPI_Comm comm, const std::string &what);
/// Prints the number and time of the executions of a destroyed plan.
void log_destroyed(const void *plan);

/// Times an execution of a plan during its lifetime, if the log is enabled. Nested executions are
/// not timed: FFTW-MPI's execute functions call functions of libfftw3 that are also interposed.
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
