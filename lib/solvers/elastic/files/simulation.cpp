#include "solvers/elastic/files/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numbers>
#include <system_error>
#include <utility>

#include "hybridfft/error.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "io/temporary.h"
#include "io/xdmf_text.h"
#include "solvers/elastic/files/checkpoint.h"
#include "solvers/elastic/files/decomposition.h"
#include "solvers/elastic/files/recorder.h"
#include "solvers/elastic/files/text.h"

namespace hybridfft::elastic {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns the largest root-mean-square frequency of the sources' signals in Hz; 0 without signals.
/// It is the rms frequency of the power spectrum, computed by Parseval's theorem from differences
/// of successive samples.
double highest_frequency(const Sources &sources, double dt) {
  const auto signals = static_cast<std::size_t>(sources.signals);
  double highest = 0;
  for (std::size_t s = 0; s < signals; ++s) {
    double power = 0, power_of_slope = 0, before = 0;
    for (std::size_t n = s; n < sources.samples.size(); n += signals) {
      const double value = sources.samples[n], slope = (value - before) / dt;
      power += value * value;
      power_of_slope += slope * slope;
      before = value;
    }
    if (power > 0)
      highest = std::max(highest, std::sqrt(power_of_slope / power) / (2 * std::numbers::pi));
  }
  return highest;
}

/// The implementation for fields of type Real.
template <class Real> class Waves final : public ElasticSimulation {
public:
  Waves(const std::string &input, const std::string &output,
        const ElasticSimulationOptions &options, const grid::Communicator &comm);

  void prepare() override;
  void run(const std::function<void(std::int64_t)> &progress) override;
  void finish(const std::string &created_by) override;

  const Problem &problem() const override { return model_.problem(); }
  const std::vector<std::string> &warnings() const override { return warnings_; }
  std::string plan() const override { return plan_; }
  std::int64_t first_step() const override { return first_; }
  std::int64_t steps_done() const override { return done_; }
  bool diverged() const override { return diverged_; }
  ElasticTimes times() const override;

private:
  void check_records();
  void resume();
  void warn_of_dispersion(const Sources &sources);
  void warn_if_not_finite();
  bool must_stop() const;
  std::int64_t fingerprint() const;
  void advance_all(const std::function<void(std::int64_t)> &progress);
  void write_checkpoint();
  void reserve_room();
  void write_header(const std::string &created_by);
  void write_records();
  [[noreturn]] void keep_output(const std::string &failure);
  void describe_output();

  Clock::time_point begin_ = Clock::now();
  ElasticSimulationOptions options_;
  grid::Communicator comm_;
  ModelFile model_;
  std::string output_;
  std::vector<std::int64_t> sensor_;
  std::optional<Solver<Real>> solver_;
  std::optional<ElasticCheckpoint> checkpoint_;
  std::optional<io::File> out_;
  std::optional<io::File> next_; ///< next checkpoint, with its disk space reserved
  std::optional<Recorder<Real>> recorder_;
  std::vector<std::string> warnings_;
  std::string plan_;
  StepTimes before_; ///< times measured before the first step of the run
  std::int64_t first_ = 0, done_ = 0;
  double simulating_ = 0, exchange_alone_ = 0;
  bool diverged_ = false;
  bool flushed_ = false; ///< true if all rows of time series are in the output
};

template <class Real>
Waves<Real>::Waves(const std::string &input, const std::string &output,
                   const ElasticSimulationOptions &options, const grid::Communicator &comm)
    : options_(options), comm_(comm), model_(input, comm, options.model), output_(output) {
  comm_.agree([&] {
    if (comm_.rank() != 0) return;
    const auto require_other = [](const std::string &file, const std::string &other,
                                  const std::string &found, const std::string &expected) {
      if (io::same_file(file, other))
        throw Error(HFFT_ERROR_ARGUMENT,
                    file + ": found " + found + ", expected another file as " + expected);
    };
    require_other(output, input, "the input", "output");
    io::require_writable(output);
    if (options_.checkpoint.enabled()) {
      require_other(options.checkpoint.file, input, "the input", "checkpoint");
      require_other(options.checkpoint.file, output, "the output", "checkpoint");
      io::require_writable(options.checkpoint.file);
    }
    if (!options.xdmf) return;
    const std::string xdmf = io::xdmf_path(output);
    require_other(xdmf, input, "the input", "description of the output, or no --xdmf");
    if (options_.checkpoint.enabled())
      require_other(xdmf, options.checkpoint.file, "the checkpoint",
                    "description of the output, or no --xdmf");
    io::require_writable(xdmf);
  });
  sensor_ = model_.sensor();
  check_records();
}

template <class Real> void Waves<Real>::check_records() {
  ElasticRecording &r = options_.recording;
  const Problem &p = model_.problem();
  if ((r.p.at_sensor() || r.u.at_sensor()) && sensor_.empty())
    throw Error(HFFT_ERROR_ARGUMENT,
                model_.path() + ": dataset sensor_mask_index or sensor is missing, expected "
                                "cells at which pressure or velocity is to be recorded");
  if (!r.p.any() && !r.u.any() && !r.u_peak && r.snapshots.empty()) r.u.raw = !sensor_.empty();
  constexpr std::int64_t usual_interval = 10;
  if (r.snapshot_interval == 0)
    r.snapshot_interval = r.snapshots.empty() ? usual_interval : std::min(usual_interval, p.steps);
  if (!r.snapshots.empty() && r.snapshot_interval > p.steps)
    throw Error(HFFT_ERROR_ARGUMENT,
                "--snapshot_interval: found " + std::to_string(r.snapshot_interval) +
                    ", expected at most " + std::to_string(p.steps) + ", the number of time steps");
  for (const Plane &plane : r.snapshots)
    if (plane.index < 0 || plane.index >= p.cells[plane.axis])
      throw Error(HFFT_ERROR_ARGUMENT, std::string("--snapshot ") + "xyz"[plane.axis] + "=" +
                                           std::to_string(plane.index) +
                                           ": expected a plane from 0 to " +
                                           std::to_string(p.cells[plane.axis] - 1));
}

template <class Real> void Waves<Real>::prepare() {
  const grid::Cartesian cartesian = decompose(model_.problem(), options_.grid, comm_);
  std::string measured;
  Method allowed;
  allowed.threads = options_.threads;
  if (options_.gpu) allowed.device = grid::Device::open(comm_);
  allowed.profile = options_.profile;
  const Method method = fastest_method<Real>(cartesian, model_.problem(), options_.exchange,
                                             options_.schedule, allowed, measured);
  const Index3 parts = cartesian.parts();
  plan_ = std::to_string(parts[0]) + " x " + std::to_string(parts[1]) + " x " +
          std::to_string(parts[2]) + " blocks, exchange " + name_of(method) +
          (measured.empty() ? "" : " (" + measured + ")") +
          (method.device ? "\nDevice: " + method.device->describe() : "");
  grid::Box box;
  if (!cartesian.mine().empty()) box = cartesian.box(cartesian.mine().front());
  Cells<Real> cells =
      model_.cells<Real>(box, Solver<Real>::ghosts(method.exchange), options_.threads);
  warnings_ = model_.warnings();
  const Sources sources = model_.sources();
  solver_.emplace(cartesian, model_.problem(), std::move(cells), sources, method);
  warn_of_dispersion(sources);
  if (options_.profile) exchange_alone_ = solver_->seconds_of_exchange(comm_);
  before_ = solver_->profile();
  resume();
}

/// Warns of too few points per wavelength: eight are recommended, and six suffice for most
/// purposes.
template <class Real> void Waves<Real>::warn_of_dispersion(const Sources &sources) {
  const double h = model_.problem().h;
  const auto frequency = [&](double cells) {
    char number[32];
    std::snprintf(number, sizeof number, "%.4g Hz", model_.slowest() / (cells * h));
    return std::string(number);
  };
  plan_ += "\nEight cells per wavelength up to " + frequency(8) + ", six up to " + frequency(6);
  constexpr double least = 6;
  const double source = highest_frequency(sources, model_.problem().dt);
  const double cells = model_.slowest() / (h * source);
  if (!(cells < least)) return;
  warnings_.push_back(model_.path() + ": the sources' signals have frequencies of " +
                      number_text(source) + " Hz (root of the mean square), " + number_text(cells) +
                      " cells in the shortest wavelength, expected at least " + number_text(least) +
                      " for waves that are less than 0.5 % slow");
}

template <class Real> void Waves<Real>::resume() {
  if (options_.checkpoint.enabled())
    checkpoint_ = ElasticCheckpoint::find<Real>(options_.checkpoint.file, model_.problem(), comm_);
  if (checkpoint_) first_ = done_ = checkpoint_->step();
  out_.emplace(checkpoint_ ? io::File::create_copy(output_, comm_.handle())
                           : io::File::create(output_, comm_.handle()));
  if (checkpoint_) checkpoint_->require_own(*out_, model_.problem());
  recorder_.emplace(options_.recording, *out_, *solver_, sensor_, comm_, first_);
  if (checkpoint_) checkpoint_->restore(fingerprint(), *solver_, *recorder_);
  reserve_room();
}

template <class Real> void Waves<Real>::write_checkpoint() {
  ElasticCheckpoint::write(*next_, done_, fingerprint(), *solver_, *recorder_, comm_);
}

/// Reserves disk space before the first step for all data to be written at the end.
template <class Real> void Waves<Real>::reserve_room() {
  out_->reserve([&] {
    recorder_->create_at_end();
    write_header("");
  });
  if (!options_.checkpoint.enabled()) return;
  next_.emplace(io::File::create(options_.checkpoint.file, comm_.handle()));
  next_->reserve([&] { write_checkpoint(); });
}

/// The fingerprint of the input and of the records' options.
template <class Real> std::int64_t Waves<Real>::fingerprint() const {
  io::ContentChecksum checksum;
  const ElasticRecording &r = options_.recording;
  std::vector<std::int64_t> records{r.u_peak, r.snapshot_interval};
  for (const Records &of : {r.p, r.u})
    for (const bool wanted : {of.raw, of.max, of.min, of.rms, of.max_all, of.min_all})
      records.push_back(wanted);
  for (const Plane &plane : r.snapshots) {
    records.push_back(plane.axis);
    records.push_back(plane.index);
  }
  checksum.add_list("records", 0, std::span<const std::int64_t>(records));
  return io::ContentChecksum::in_file(static_cast<std::uint64_t>(model_.fingerprint()) +
                                      checksum.sum());
}

template <class Real> bool Waves<Real>::must_stop() const {
  return options_.checkpoint.must_stop(done_ - first_, begin_, comm_.handle());
}

template <class Real>
void Waves<Real>::advance_all(const std::function<void(std::int64_t)> &progress) {
  auto marked = Clock::now();
  solver_->begin();
  while (done_ < model_.problem().steps && !must_stop()) {
    if (seconds_since(marked) > 3600) {
      out_->keep_alive();
      if (next_) next_->keep_alive();
      marked = Clock::now();
    }
    solver_->step(done_);
    recorder_->sample(done_);
    progress(++done_);
  }
  solver_->settle();
}

template <class Real> void Waves<Real>::run(const std::function<void(std::int64_t)> &progress) {
  const auto begin = Clock::now();
  if (const std::string failure = io::failure_of([&] { advance_all(progress); });
      !failure.empty()) {
    io::failure_of([&] { write_header(""); });
    keep_output(failure);
  }
  simulating_ = comm_.max(seconds_since(begin));
}

template <class Real> void Waves<Real>::warn_if_not_finite() {
  bool finite = true;
  for (int v = 0; v < velocities; ++v) {
    const grid::View<const Real> view = solver_->on_host(solver_->field(v)).view();
    finite = finite && grid::reduce(
                           grid::Host{options_.threads}, solver_->cells(), true,
                           [=](Index i, Index j, Index k) {
                             return static_cast<bool>(std::isfinite(view(i, j, k)));
                           },
                           [](bool a, bool b) { return a && b; });
  }
  diverged_ = comm_.max(std::int64_t{finite ? 0 : 1}) == 1;
  if (diverged_)
    warnings_.push_back(model_.path() + ": velocities are not finite after time step " +
                        std::to_string(done_) + ": the simulation has diverged");
}

template <class Real> void Waves<Real>::write_header(const std::string &created_by) {
  if (first_ == 0) elastic::write_header(*out_, model_.problem(), created_by);
  if (options_.checkpoint.enabled())
    ElasticCheckpoint::mark(*out_, model_.problem(), fingerprint());
}

template <class Real> void Waves<Real>::write_records() {
  recorder_->flush();
  flushed_ = true;
  if (done_ == model_.problem().steps) recorder_->finish();
  // Records of diverged fields overflow too; the divergence is reported already.
  if (!diverged_)
    for (const std::string &record : recorder_->not_finite())
      warnings_.push_back(output_ + ": " + record);
  diverged_ = diverged_ || !recorder_->not_finite().empty();
}

/// Handles a failure: commits the output with the data written so far, and throws. It only throws
/// if the run continued from a checkpoint and its last samples are not in the output. The old
/// output and the checkpoint then remain, and the run can be repeated from them.
template <class Real> void Waves<Real>::keep_output(const std::string &failure) {
  next_.reset();
  if (checkpoint_ && !flushed_) throw io::IoError(failure);
  io::keep_output(*out_, failure);
}

template <class Real> void Waves<Real>::describe_output() {
  comm_.agree([&] {
    if (comm_.rank() == 0)
      io::write_xdmf(describe<Real>(model_.problem(), options_.recording.snapshot_interval, done_,
                                    recorder_->arrays(), output_),
                     output_);
  });
}

template <class Real> void Waves<Real>::finish(const std::string &created_by) {
  warn_if_not_finite();
  const bool complete = done_ == model_.problem().steps;
  std::string failure = io::failure_of([&] { write_records(); });
  const std::string header = io::failure_of([&] { write_header(created_by); });
  if (failure.empty()) failure = header;
  if (failure.empty() && !complete) failure = io::failure_of([&] { write_checkpoint(); });
  if (!failure.empty()) keep_output(failure);
  // Commits the output first: after a crash between the two calls, the new output still fits the
  // old checkpoint.
  out_->commit();
  if (!complete) next_->commit();
  next_.reset();
  if (options_.xdmf) describe_output();
  std::error_code none;
  if (complete && checkpoint_ && comm_.rank() == 0)
    std::filesystem::remove(options_.checkpoint.file, none);
}

template <class Real> ElasticSimulation::ElasticTimes Waves<Real>::times() const {
  ElasticTimes t;
  const StepTimes p = solver_->profile();
  for (const auto part :
       {&StepTimes::velocity, &StepTimes::stress, &StepTimes::surface, &StepTimes::sources,
        &StepTimes::pack, &StepTimes::wait, &StepTimes::copies})
    t.profile.*part = comm_.max(p.*part - before_.*part);
  t.exposed = comm_.max(p.pack + p.wait + p.copies - before_.pack - before_.wait - before_.copies);
  t.simulating = simulating_;
  t.exchange_alone = exchange_alone_;
  t.bytes = comm_.sum(static_cast<double>(solver_->bytes_sent()));
  t.messages = comm_.sum(static_cast<double>(solver_->messages_sent()));
  return t;
}

} // namespace

std::unique_ptr<ElasticSimulation> ElasticSimulation::open(const std::string &input,
                                                           const std::string &output,
                                                           const ElasticSimulationOptions &options,
                                                           const grid::Communicator &comm) {
  if (options.precision == io::Precision::double_)
    return std::make_unique<Waves<double>>(input, output, options, comm);
  return std::make_unique<Waves<float>>(input, output, options, comm);
}

} // namespace hybridfft::elastic
