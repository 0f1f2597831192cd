/// Stages of a plan, with their bytes and floating-point operations, and the measurement of their
/// times, for profiles and traces. A plan without a recorder only tests a pointer in each stage.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/threads.h"
#include "profile/trace.h"

namespace hybridfft::profile {

enum class StageKind {
  whole,   ///< transforms of all axes by FFTW's own threaded plan
  planes,  ///< FFTs of one or several axes, row by row
  columns, ///< FFTs along the columns of a matrix
  copy,
  work, ///< the user's work of an operator, together with transforms fused into the same pass
  exchange
};
constexpr std::size_t stage_kinds = static_cast<std::size_t>(StageKind::exchange) + 1;

/// A number of transforms of one length.
struct Lines {
  std::ptrdiff_t points = 0;
  std::ptrdiff_t count = 0;
};

struct Stage {
  std::string name; ///< kind of step, numbered from the second of its kind on: "exchange 2"
  StageKind kind = StageKind::copy;
  int ordinal = 0;  ///< number of earlier steps of the same kind
  double bytes = 0; ///< bytes that this rank reads once and writes once
  double flops =
      0; ///< floating-point operations of this rank: 5 n log2 n, half of it for real data
  std::vector<Lines> lines = {}; ///< lines transformed by a stage of a pruned plan
};

/// Appends a stage with a unique name.
void add_stage(std::vector<Stage> &stages, StageKind kind, double bytes, double flops);

/// Returns the floating-point operations of `batch` transforms of `points` points.
double transform_flops(double points, double batch);

/// Returns "18432 lines of 192, 6144 lines of 192, "; empty for a stage without lines.
std::string describe_lines(const Stage &stage);

/// Times of one stage.
struct StageProfile {
  long long calls = 0;               ///< executions
  double seconds = 0;                ///< this rank's time in all executions
  double min = 0, mean = 0, max = 0; ///< minimum, mean and maximum of `seconds` over all ranks with
                                     ///< this stage
};

class Recorder {
public:
  explicit Recorder(std::vector<Stage> stages);

  /// Starts counting from zero if `on`, else stops counting.
  void set_profiling(bool on);
  bool profiling() const { return profiling_; }
  /// Adds events to a trace. `plan` is the plan's name in the trace; `details` describe the stages.
  void trace_into(Trace &trace, const std::string &plan, const std::vector<std::string> &details);

  const std::vector<Stage> &stages() const { return stages_; }
  /// Returns this rank's seconds in a stage.
  double seconds(std::size_t stage) const { return seconds_[stage]; }
  /// Returns the times of each stage. Collective: ranks may have different stages.
  std::vector<StageProfile> profile(MPI_Comm comm) const;

private:
  friend class ExecutionSpan;
  friend class StageSpan;
  using Clock = std::chrono::steady_clock;
  static constexpr int none = -1;

  /// Makes another stage the active one, and returns the former active stage. Time counts for the
  /// active stage only, also while stages are nested.
  int switch_to(int stage, Clock::time_point now);
  void observe_parts(int stage) const;

  std::vector<Stage> stages_;
  std::vector<double> seconds_;
  std::vector<int> labels_; ///< labels of the stages in the trace
  long long calls_ = 0;
  bool profiling_ = false;
  Trace *trace_ = nullptr;
  int plan_label_ = 0;
  int current_ = none;
  Clock::time_point since_;
};

/// Marks one execution of a plan; `recorder` may be null. It neither allocates nor throws.
class ExecutionSpan {
public:
  /// \param continued true if the execution continues an earlier one that is already counted
  explicit ExecutionSpan(Recorder *recorder, bool continued = false);
  ~ExecutionSpan();
  ExecutionSpan(const ExecutionSpan &) = delete;
  ExecutionSpan &operator=(const ExecutionSpan &) = delete;

private:
  Recorder *recorder_;
  bool continued_;
  Recorder::Clock::time_point begin_;
  PartObserver before_;
};

/// Marks work of the calling thread for one stage, within an ExecutionSpan. Stages may be nested.
class StageSpan {
public:
  enum class InTrace { no, yes };
  StageSpan(Recorder *recorder, std::size_t stage, InTrace trace = InTrace::yes);
  ~StageSpan();
  StageSpan(const StageSpan &) = delete;
  StageSpan &operator=(const StageSpan &) = delete;

private:
  Recorder *recorder_;
  bool traced_ = false;
  int stage_ = 0;
  int outer_ = 0;
  Recorder::Clock::time_point begin_;
};

} // namespace hybridfft::profile
