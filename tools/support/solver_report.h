/// Output of running solvers: phases and progress, in k-Wave's style.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace hybridfft::tools {

/// Exit status of a simulation with infinite or NaN fields at its end.
inline constexpr int status_diverged = 2;

/// Prints a table on stdout if `speaks` is true. Only one rank sets it to true.
class SolverReport {
public:
  explicit SolverReport(bool speaks);

  void begin(const std::string &title);
  void rule();
  void item(const std::string &label, const std::string &value);
  void text(const std::string &lines);
  /// Runs a phase and prints "Done", or "Failed" if it throws. With LineOutput::whole a line is
  /// printed at once, unless stdout is a terminal. mpirun reads stdout and stderr in no order, and
  /// could put a warning between two halves of a line.
  enum class LineOutput { halves, whole };
  void phase(const std::string &label, const std::function<void()> &work,
             LineOutput line = LineOutput::halves);
  void end(const std::string &title);

  /// Progress of `total` steps: a line every `interval` percent, or a moving bar on a terminal.
  /// `done` steps were done before.
  void begin_progress(std::int64_t total, int interval, std::int64_t done);
  void progress(std::int64_t done);

private:
  void bar(double share, double elapsed, double remaining);

  bool speaks_;
  bool terminal_;
  std::int64_t total_ = 0;
  std::int64_t first_ = 0;
  int interval_ = 0;
  int next_percent_ = 0;
  std::chrono::steady_clock::time_point started_, drawn_;
};

/// Prints an error on stderr in k-Wave's format.
void report_fatal_error(const std::string &reason);

/// Prints "PROGRAM: warning: REASON" on stderr, after the text on stdout.
void report_warning(const std::string &program, const std::string &reason);

/// Formats "12.3s", "4m 05s", "2h 04m".
std::string duration(double seconds);

} // namespace hybridfft::tools
