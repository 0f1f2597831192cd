/// Prints phases and progress of a running solver in k-Wave's style.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace hybridfft::tools {

/// Exit status of a simulation whose fields are infinite or NaN at the end.
inline constexpr int status_diverged = 2;

/// Prints a table on stdout. `speaks` is true on one rank only; others print nothing.
class SolverReport {
public:
  explicit SolverReport(bool speaks);

  void begin(const std::string &title);
  void rule();
  void item(const std::string &label, const std::string &value);
  void text(const std::string &lines);
  /// Runs a phase and prints its label, then "Done", or "Failed" if it throws. LineOutput::whole
  /// prints the line at once after the phase, unless stdout is a terminal: mpirun merges stdout and
  /// stderr in any order and could print a warning between the halves of a line.
  enum class LineOutput { halves, whole };
  void phase(const std::string &label, const std::function<void()> &work,
             LineOutput line = LineOutput::halves);
  void end(const std::string &title);

  /// Shows the progress of `total` steps, of which `done` were completed before: a line every
  /// `interval` percent, or a moving bar on a terminal.
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

/// Prints "PROGRAM: warning: REASON" on stderr, after all text on stdout.
void report_warning(const std::string &program, const std::string &reason);

/// Formats "12.3s", "4m 05s", "2h 04m".
std::string duration(double seconds);

} // namespace hybridfft::tools
