/// Messages of the drop-in on stderr: with HFFT_DROPIN_LOG=1 the library that computes each plan,
/// and its times; environment variables that are wrong.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace hybridfft::fftw3_mpi {

/// True if HFFT_DROPIN_LOG turns the log on.
bool logging() noexcept;

/// The value of a variable, one of `words`. Other values are ignored: FFTW's functions have no
/// errors.
std::string environment_word(const char *name, const std::vector<std::string> &words) noexcept;

/// Lets the value of a variable count as not set; warn_of_environment() gives the reason.
void ignore_variable(const std::string &name, const std::string &reason);

/// Lines from rank 0 of the communicator, each once per process: unknown variables HFFT_*, ignored
/// values, a locked file of wisdom.
void warn_of_environment(MPI_Comm comm) noexcept;

/// A line from rank 0 of the communicator.
void log_line(MPI_Comm comm, const std::string &line);

/// From now on executions of `plan` are timed, if logging; `what` is its problem and the library
/// that computes it. Ours and FFTW's alike.
void log_plan(const void *plan, MPI_Comm comm, const std::string &what);
/// A line with the number of executions and their time.
void log_destroyed(const void *plan);

/// Times an execution of `plan`, if logging. Within another one it does nothing: FFTW-MPI's execute
/// functions call those of libfftw3, which come here again.
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
