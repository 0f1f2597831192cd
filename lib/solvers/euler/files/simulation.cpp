#include "solvers/euler/files/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "hybridfft/error.hpp"
#include "io/temporary.h"
#include "io/xdmf_text.h"
#include "solvers/euler/files/case_file.h"
#include "solvers/euler/files/checkpoint.h"
#include "solvers/euler/files/output.h"

namespace hybridfft::euler {

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

/// Simulation in one precision.
template <class Real> class Flow final : public EulerSimulation {
public:
  Flow(const std::string &input, const std::string &output, const EulerSimulationOptions &options,
       const grid::Communicator &comm);

  void prepare() override;
  void run(const std::function<void(double)> &progress) override;
  void finish(const std::string &created_by) override;

  const Problem &problem() const override { return case_.problem(); }
  const std::vector<std::string> &warnings() const override { return case_.warnings(); }
  std::string plan() const override { return plan_; }
  std::int64_t first_step() const override { return first_; }
  std::int64_t steps_done() const override { return solver_->clock().step; }
  double time() const override { return solver_->clock().time; }
  std::size_t leaves() const override { return solver_->forest().leaves().size(); }
  bool complete() const override { return solver_->done(); }
  EulerTimes times() const override;

private:
  /// Throws unless all output files are writable and differ from the input and each other.
  void check_files();
  int fastest_depth(EulerMethod method);
  void begin_output();
  bool must_stop() const;
  void write_snapshot();
  void write_checkpoint(const std::string &created_by);
  void describe_output();

  SteadyClock::time_point begin_ = SteadyClock::now();
  EulerSimulationOptions options_;
  grid::Communicator comm_;
  CaseFile case_;
  std::string input_, output_;
  std::optional<EulerCheckpoint> checkpoint_;
  std::unique_ptr<Solver<Real>> solver_;
  std::optional<io::File> out_;
  std::vector<SavedState> frames_;
  std::string plan_;
  std::int64_t first_ = 0, first_updates_ = 0;
  Profile before_;
  double simulating_ = 0, output_seconds_ = 0;
};

template <class Real>
Flow<Real>::Flow(const std::string &input, const std::string &output,
                 const EulerSimulationOptions &options, const grid::Communicator &comm)
    : options_(options), comm_(comm), case_(input, comm), input_(input), output_(output) {
  comm_.agree([&] {
    if (options.halo_depth > 1 && options.halo_depth % 3 != 0)
      throw Error(HFFT_ERROR_ARGUMENT, "--halo_depth: found " + std::to_string(options.halo_depth) +
                                           ", expected 1, a multiple of 3, or auto");
    if (comm_.rank() == 0) check_files();
  });
}

template <class Real> void Flow<Real>::check_files() {
  const auto require_other = [](const std::string &file, const std::string &other,
                                const std::string &found, const std::string &expected) {
    if (io::same_file(file, other))
      throw Error(HFFT_ERROR_ARGUMENT,
                  file + ": found " + found + ", expected another file as " + expected);
  };
  const std::string &checkpoint = options_.checkpoint.file;
  require_other(output_, input_, "the input", "output");
  io::require_writable(output_);
  if (options_.checkpoint.enabled()) {
    require_other(checkpoint, input_, "the input", "checkpoint");
    require_other(checkpoint, output_, "the output", "checkpoint");
    io::require_writable(checkpoint);
  }
  if (!options_.xdmf) return;
  const std::string xdmf = io::xdmf_path(output_);
  require_other(xdmf, input_, "the input", "description of the output, or no --xdmf");
  if (options_.checkpoint.enabled())
    require_other(xdmf, checkpoint, "the checkpoint", "description of the output, or no --xdmf");
  io::require_writable(xdmf);
}

/// Measures six steps from the initial state with each halo depth and returns the fastest depth.
template <class Real> int Flow<Real>::fastest_depth(EulerMethod method) {
  constexpr int steps = 6;
  if (comm_.size() == 1) return 1;
  int best = 1;
  double least = HUGE_VAL;
  for (const int depth : {1, 3, 6}) {
    method.halo_depth = depth;
    Solver<Real> trial(comm_, case_.problem(), case_.leaves(), method);
    trial.start([&] { case_.set(trial); });
    trial.step();
    const auto begin = SteadyClock::now();
    for (int s = 0; s < steps && !trial.done(); ++s)
      trial.step();
    const double seconds = comm_.max(seconds_since(begin));
    plan_ += (plan_.empty() ? "measured: depth " : ", depth ") + std::to_string(depth) + " " +
             number_text(std::round(1e6 * seconds / steps) / 1e3) + " ms";
    if (seconds < least) best = depth;
    least = std::min(least, seconds);
  }
  return best;
}

template <class Real> void Flow<Real>::prepare() {
  EulerMethod method;
  method.threads = options_.threads;
  method.balance = options_.balance;
  method.balance_interval = options_.balance_interval;
  method.profile = options_.profile;
  if (options_.gpu) method.device = grid::Device::open(comm_);
  method.halo_depth = options_.halo_depth > 0 ? options_.halo_depth : fastest_depth(method);
  if (options_.checkpoint.enabled())
    checkpoint_ = EulerCheckpoint::find<Real>(options_.checkpoint.file, case_.problem(), comm_);
  solver_ = std::make_unique<Solver<Real>>(
      comm_, case_.problem(), checkpoint_ ? checkpoint_->leaves() : case_.leaves(), method);
  begin_output();
  if (checkpoint_)
    checkpoint_->restore(case_.fingerprint(), *solver_);
  else
    solver_->start([&] { case_.set(*solver_); });
  first_ = solver_->clock().step;
  first_updates_ = solver_->clock().cell_updates;
  before_ = solver_->profile();
  const std::string measured = plan_;
  plan_ = "halo depth " + std::to_string(method.halo_depth) +
          (measured.empty() ? "" : " (" + measured + ")") +
          (method.device ? "\nDevice: " + method.device->describe() : "");
}

template <class Real> void Flow<Real>::begin_output() {
  out_.emplace(checkpoint_ ? io::File::create_copy(output_, comm_.handle())
                           : io::File::create(output_, comm_.handle()));
  if (!checkpoint_) return;
  checkpoint_->require_own(*out_, case_.problem());
  frames_ = saved_states(*out_, case_.problem().dimensions());
  // After a crash between the two commits of write_checkpoint() the output has later snapshots.
  std::erase_if(frames_, [&](const SavedState &s) { return s.time > checkpoint_->time(); });
}

template <class Real> bool Flow<Real>::must_stop() const {
  return options_.checkpoint.must_stop(solver_->clock().step - first_, begin_, comm_.handle());
}

template <class Real> void Flow<Real>::write_snapshot() {
  const auto begin = SteadyClock::now();
  char name[40];
  std::snprintf(name, sizeof name, "snapshot/%06lld",
                static_cast<long long>(solver_->clock().step));
  if (!out_->has_link(name)) {
    write_state(*out_, std::string(name) + "/", *solver_);
    out_->set_numbers(name, "time", std::vector<double>{solver_->clock().time});
  }
  const std::span<const grid::Leaf> leaves = solver_->forest().leaves();
  frames_.push_back({std::string(name) + "/", solver_->clock().time,
                     std::vector<grid::Leaf>(leaves.begin(), leaves.end())});
  if (options_.vtk && leaves.size() <= max_vtk_leaves) write_vtk(output_, frames_, *solver_);
  output_seconds_ += seconds_since(begin);
}

template <class Real> void Flow<Real>::run(const std::function<void(double)> &progress) {
  const auto begin = SteadyClock::now();
  auto marked = begin;
  const Problem &p = case_.problem();
  while (!solver_->done() && !must_stop()) {
    if (seconds_since(marked) > 3600) {
      out_->keep_alive();
      marked = SteadyClock::now();
    }
    solver_->step();
    const RunClock &clock = solver_->clock();
    if (options_.snapshot_interval > 0 && clock.step % options_.snapshot_interval == 0)
      write_snapshot();
    progress(std::max(static_cast<double>(clock.step) / static_cast<double>(p.steps),
                      clock.time / p.t_end));
  }
  simulating_ = comm_.max(seconds_since(begin));
}

template <class Real> void Flow<Real>::write_checkpoint(const std::string &created_by) {
  io::File next = io::File::create(options_.checkpoint.file, comm_.handle());
  EulerCheckpoint::write(next, case_.fingerprint(), *solver_, created_by);
  // The output is committed first. After a crash between both commits, the old checkpoint still
  // fits the new output.
  out_->commit();
  next.commit();
}

template <class Real> void Flow<Real>::describe_output() {
  comm_.agree([&] {
    if (comm_.rank() == 0)
      io::write_xdmf(describe(case_.problem(), frames_, sizeof(Real), output_), output_);
  });
}

template <class Real> void Flow<Real>::finish(const std::string &created_by) {
  const auto begin = SteadyClock::now();
  if (first_ == 0) write_header(*out_, case_.problem(), case_.attributes(), created_by);
  if (options_.checkpoint.enabled())
    EulerCheckpoint::mark(*out_, case_.problem(), case_.fingerprint());
  if (!solver_->done()) return write_checkpoint(created_by);
  const RunClock &clock = solver_->clock();
  write_state(*out_, "", *solver_);
  out_->write_all<double>("time", {}, {clock.time});
  out_->write_all<std::int64_t>("step", {}, {clock.step});
  write_series(*out_, "", solver_->series(), case_.problem().dimensions());
  out_->commit();
  const std::span<const grid::Leaf> leaves = solver_->forest().leaves();
  frames_.push_back({"", clock.time, std::vector<grid::Leaf>(leaves.begin(), leaves.end())});
  if (options_.xdmf) describe_output();
  if (options_.vtk && leaves.size() <= max_vtk_leaves) write_vtk(output_, frames_, *solver_);
  output_seconds_ += seconds_since(begin);
  std::error_code none;
  if (checkpoint_ && comm_.rank() == 0) std::filesystem::remove(options_.checkpoint.file, none);
}

template <class Real> EulerSimulation::EulerTimes Flow<Real>::times() const {
  EulerTimes t;
  const Profile p = solver_->profile();
  for (const auto part : {&Profile::kernels, &Profile::halo, &Profile::messages, &Profile::adapt,
                          &Profile::migration})
    t.profile.*part = comm_.max(p.*part - before_.*part);
  t.simulating = simulating_;
  t.output = comm_.max(output_seconds_);
  t.cell_updates = static_cast<double>(solver_->clock().cell_updates - first_updates_);
  return t;
}

} // namespace

std::unique_ptr<EulerSimulation> EulerSimulation::open(const std::string &input,
                                                       const std::string &output,
                                                       const EulerSimulationOptions &options,
                                                       const grid::Communicator &comm) {
  if (options.precision == io::Precision::single)
    return std::make_unique<Flow<float>>(input, output, options, comm);
  return std::make_unique<Flow<double>>(input, output, options, comm);
}

} // namespace hybridfft::euler
