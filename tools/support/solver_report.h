/// Output of solvers while they work: phases and progress in k-Wave's manner.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace hybridfft::tools {

/// Exit status of a simulation whose fields are not finite at its end.
inline constexpr int status_diverged = 2;

/// A table on stdout, which prints only if `speaks`: on one rank.
class SolverReport {
public:
  explicit SolverReport(bool speaks);

  void begin(const std::string &title);
  void rule();
  void item(const std::string &label, const std::string &value);
  void text(const std::string &lines);
  /// Runs a phase and prints "Done", or "Failed" when it throws. A line that a warning may follow
  /// comes whole, unless stdout is a terminal: mpirun reads stdout and stderr in no order, and
  /// would put the warning between its halves.
  enum class Line { halves, whole };
  void phase(const std::string &label, const std::function<void()> &work, Line line = Line::halves);
  void end(const std::string &title);

  /// Progress of `total` steps: a line every `interval` percent or, on a terminal, a bar that is
  /// drawn anew. `done` of them were done before.
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

/// An error on stderr, as k-Wave shows it.
void report_fatal_error(const std::string &reason);

/// A line "PROGRAM: warning: REASON" on stderr, after the text on stdout.
void report_warning(const std::string &program, const std::string &reason);

/// "12.3s", "4m 05s", "2h 04m".
std::string duration(double seconds);

} // namespace hybridfft::tools
