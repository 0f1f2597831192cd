#include "profile/recorder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/mpi.h"

namespace hybridfft::profile {

namespace {

const char *name_of(StageKind kind) {
  constexpr std::array names{"whole", "planes", "columns", "copy", "work", "exchange"};
  static_assert(names.size() == stage_kinds);
  return names[static_cast<std::size_t>(kind)];
}

} // namespace

double transform_flops(double points, double batch) {
  return points > 1 ? 5 * points * std::log2(points) * batch : 0;
}

void add_stage(std::vector<Stage> &stages, StageKind kind, double bytes, double flops) {
  const auto same = [kind](const Stage &other) { return other.kind == kind; };
  Stage s{name_of(kind), kind, static_cast<int>(std::count_if(stages.begin(), stages.end(), same)),
          bytes, flops};
  if (s.ordinal > 0) s.name += " " + std::to_string(s.ordinal + 1);
  stages.push_back(std::move(s));
}

std::string describe_lines(const Stage &stage) {
  std::string text;
  for (const Lines &l : stage.lines)
    text += std::to_string(l.count) + " lines of " + std::to_string(l.points) + ", ";
  return text;
}

namespace {

double seconds_between(std::chrono::steady_clock::time_point begin,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

void add_to_trace(void *trace, int label, int thread, PartObserver::Time begin,
                  PartObserver::Time end) {
  static_cast<Trace *>(trace)->add(label, thread, begin, end);
}

// Reductions over the ranks have an index for each kind of stage and each ordinal within the kind,
// because ranks may have different stages.
constexpr int kinds = static_cast<int>(stage_kinds);
constexpr int max_of_a_kind = 12;
constexpr std::size_t places = kinds * max_of_a_kind;

std::size_t place(const Stage &s) {
  return static_cast<std::size_t>(static_cast<int>(s.kind) * max_of_a_kind +
                                  std::min(s.ordinal, max_of_a_kind - 1));
}

} // namespace

Recorder::Recorder(std::vector<Stage> stages)
    : stages_(std::move(stages)), seconds_(stages_.size(), 0), labels_(stages_.size(), 0) {}

void Recorder::set_profiling(bool on) {
  profiling_ = on;
  if (!on) return;
  std::fill(seconds_.begin(), seconds_.end(), 0.0);
  calls_ = 0;
}

void Recorder::trace_into(Trace &trace, const std::string &plan,
                          const std::vector<std::string> &details) {
  trace_ = &trace;
  plan_label_ = trace.label(plan, "");
  for (std::size_t k = 0; k < stages_.size(); ++k)
    labels_[k] = trace.label(stages_[k].name, details[k]);
}

std::vector<StageProfile> Recorder::profile(MPI_Comm comm) const {
  std::array<double, 2 * places> largest{}; // maxima, then negated minima
  largest.fill(-std::numeric_limits<double>::infinity());
  std::array<double, 2 * places> sums{}; // sums, then numbers of ranks with the stage
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const std::size_t at = place(stages_[k]);
    largest[at] = seconds_[k];
    largest[places + at] = -seconds_[k];
    sums[at] = seconds_[k];
    sums[places + at] = 1;
  }
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()),
                           MPI_DOUBLE, MPI_MAX, comm),
             "MPI_Allreduce");
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE,
                           MPI_SUM, comm),
             "MPI_Allreduce");
  std::vector<StageProfile> result;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const std::size_t at = place(stages_[k]);
    result.push_back(
        {calls_, seconds_[k], -largest[places + at], sums[at] / sums[places + at], largest[at]});
  }
  return result;
}

int Recorder::switch_to(int stage, Clock::time_point now) {
  if (current_ != none && profiling_)
    seconds_[static_cast<std::size_t>(current_)] += seconds_between(since_, now);
  since_ = now;
  return std::exchange(current_, stage);
}

void Recorder::observe_parts(int stage) const {
  part_observer =
      stage == none ? PartObserver{}
                    : PartObserver{trace_, labels_[static_cast<std::size_t>(stage)], add_to_trace};
}

ExecutionSpan::ExecutionSpan(Recorder *recorder, bool continued)
    : recorder_(recorder), continued_(continued) {
  if (recorder_ == nullptr) return;
  before_ = part_observer;
  begin_ = Recorder::Clock::now();
  // A failed execution may end within a stage.
  recorder_->current_ = Recorder::none;
}

ExecutionSpan::~ExecutionSpan() {
  if (recorder_ == nullptr) return;
  part_observer = before_;
  if (recorder_->profiling_ && !continued_) ++recorder_->calls_;
  if (recorder_->trace_ != nullptr)
    recorder_->trace_->add(recorder_->plan_label_, 0, begin_, Recorder::Clock::now());
}

StageSpan::StageSpan(Recorder *recorder, std::size_t stage, InTrace trace) : recorder_(recorder) {
  if (recorder_ == nullptr) return;
  traced_ = trace == InTrace::yes && recorder_->trace_ != nullptr;
  stage_ = static_cast<int>(stage);
  begin_ = Recorder::Clock::now();
  outer_ = recorder_->switch_to(stage_, begin_);
  if (traced_) recorder_->observe_parts(stage_);
}

StageSpan::~StageSpan() {
  if (recorder_ == nullptr) return;
  const auto end = Recorder::Clock::now();
  recorder_->switch_to(outer_, end);
  if (!traced_) return;
  recorder_->observe_parts(outer_);
  recorder_->trace_->add(recorder_->labels_[static_cast<std::size_t>(stage_)], 0, begin_, end);
}

} // namespace hybridfft::profile
