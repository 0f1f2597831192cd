// Runs a k-space simulation: input, memory, device, time loop, records and checkpoints.
#include "solvers/kspace/simulation.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "io/checkpoint.h"
#include "solvers/kspace/checkpoint.h"
#include "solvers/kspace/checks.h"
#include "solvers/kspace/derivative_factory.h"
#include "solvers/kspace/device/fourier.h"
#include "solvers/kspace/files/read_parameters.h"
#include "solvers/kspace/medium/stability.h"
#include "solvers/kspace/output_header.h"
#include "solvers/kspace/record/recorder.h"
#include "solvers/kspace/record/sensor.h"
#include "solvers/kspace/record/xdmf.h"
#include "solvers/kspace/sources/source.h"
#include "solvers/kspace/step.h"

namespace hybridfft::kspace {

namespace {

/// Simulation with fields of type Real.
template <class Real> class Solver final : public Simulation {
public:
  Solver(const std::string &input, const std::string &output, const SimulationOptions &options,
         MPI_Comm comm);

  void prepare() override;
  void load() override {
    timed(timings_.loading, [&] { with_memory([&] { read_input(); }); });
  }
  void run(const std::function<void(std::int64_t)> &progress) override;
  void finish(const std::string &created_by) override;

  const Parameters &parameters() const override { return parameters_; }
  const std::vector<std::string> &warnings() const override { return warnings_; }
  const Timings &timings() const override { return timings_; }
  double total_memory() const override { return comm_.sum(peak_memory()); }
  std::int64_t first_step() const override { return first_step_; }
  std::int64_t steps_done() const override { return done_; }
  double steady_change() const override { return steady_ ? steady_->change() : 1; }
  bool diverged() const override { return diverged_; }
  int threads() const override { return host_.threads; }
  int ranks() const override { return comm_.size(); }
  double points_of_rank() const override { return static_cast<double>(local_.box().points()); }
  std::vector<StageTime> stage_times() const override {
    std::vector<StageTime> times = derivative_->stage_times();
    for (StageTime &t : times)
      t.seconds = comm_.max(t.seconds);
    return times;
  }
  std::vector<ExchangeTime> exchange_times() const override {
    std::vector<ExchangeTime> times = derivative_->exchange_times();
    for (ExchangeTime &t : times)
      t = {t.field, comm_.max(t.pack), comm_.max(t.wait), comm_.max(t.exchange),
           comm_.sum(t.bytes)};
    return times;
  }
  DeviceLedger::Entries kernels() const override;
  std::string device() const override { return device_text_; }
  std::string basis() const override {
    if (options_.basis.kind == BasisOptions::Selection::automatic || !decomposition_)
      return basis_.reason;
    return decomposition_->describe();
  }
  std::string plans() const override { return derivative_->describe(); }

private:
  std::optional<Checkpoint<Real>> find_checkpoint(const std::string &output) const {
    if (!options_.checkpoint.enabled()) return std::nullopt;
    auto found = Checkpoint<Real>::find(options_.checkpoint.file, parameters_, options_.recording,
                                        options_.compression, comm_);
    if (found) require_output(output, options_.checkpoint.file, comm_);
    return found;
  }

  /// Runs a phase and adds the time of the slowest rank.
  template <class F> void timed(double &seconds, const F &phase) {
    seconds += comm_.max(seconds_of(phase));
  }

  /// Runs a phase that allocates memory. If memory is short, throws an error with the bytes needed
  /// and free. Collective.
  template <class F> void with_memory(const F &phase) {
    try {
      phase();
    } catch (const Error &e) {
      if (e.code() != HFFT_ERROR_OUT_OF_MEMORY || device_ != nullptr) throw;
      throw_out_of_memory(in_.path(), parameters_, memory_need(), comm_);
    }
  }
  /// Host memory of the simulation. If a device stores the state, the host needs only one field,
  /// for copies.
  MemoryNeed memory_need() const {
    const std::size_t elsewhere = device_ != nullptr ? fields_of_state() - 1 : 0;
    std::size_t lists = sources_->bytes();
    for (const std::unique_ptr<SensorMask<Real>> &mask : sensor_)
      lists += mask->bytes();
    return {fields_ - elsewhere, static_cast<double>(local_.size() * sizeof(Real)),
            static_cast<double>(lists)};
  }
  std::size_t fields_of_state() const {
    return 1 + 2 * static_cast<std::size_t>(local_.dimensions());
  }

  void resume();
  void require_memory_of_device();
  double device_bytes(bool at_once) const;
  void read_lists() {
    metric_.emplace(in_, parameters_, local_);
    sources_.emplace(in_, parameters_, local_, host_);
    sensor_ = read_sensor<Real>(in_, parameters_, local_, comm_);
  }
  void read_input();
  void advance(std::int64_t n);
  void advance_all(const std::function<void(std::int64_t)> &progress);
  bool must_stop() const {
    return options_.checkpoint.must_stop(done_ - first_step_, begin_, comm_.handle());
  }
  CheckpointIdentity identity() const { return {parameters_, options_.recording, fingerprint_}; }
  void end_period();
  void write_checkpoint() {
    Checkpoint<Real>::write(*next_, options_.compression, done_, identity(), *state_, *recorder_,
                            local_, comm_);
  }
  void reserve_room();
  void write_header(const std::string &created_by) {
    write_scalars(out_, parameters_, done_);
    write_attributes(out_, parameters_, created_by, timings_, total_memory(), host_.threads, comm_);
    if (options_.checkpoint.enabled()) Checkpoint<Real>::mark(out_, identity());
  }
  void write_records();
  [[noreturn]] void keep_output(const std::string &failure);
  void describe_output() const;
  void warn_if_not_finite();

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  SimulationOptions options_;
  grid::Communicator comm_;
  grid::Host host_;
  InputFile in_;
  Parameters parameters_;
  std::unique_ptr<device::Runtime> device_; ///< device that stores the fields; nullptr: the host
  Exec exec_;
  BasisChoice basis_;
  std::optional<Decomposition> decomposition_; ///< blocks of a local basis
  LocalGrid local_;
  std::optional<Checkpoint<Real>> checkpoint_; ///< checkpoint to continue from
  OutputFile out_;
  std::optional<OutputFile> next_; ///< the next checkpoint; its disk space is reserved
  std::optional<State<Real>> state_;
  std::unique_ptr<Derivative<Real>> derivative_;
  std::optional<Pml<Real>> pml_;
  std::optional<Medium<Real>> medium_;
  std::optional<GridMetric<Real>> metric_;
  std::optional<Sources<Real>> sources_;
  std::vector<std::unique_ptr<SensorMask<Real>>> sensor_;
  std::optional<Step<Real>> step_;
  std::optional<Recorder<Real>> recorder_;
  std::optional<SteadyState<Real>> steady_;
  GridPositions positions_; ///< positions for XDMF
  std::vector<std::string> warnings_;
  Timings timings_;
  std::int64_t first_step_ = 0, done_ = 0;
  bool diverged_ = false;
  bool flushed_ = false; ///< all rows of time series are written
  std::string device_text_;
  bool at_once_ = true;    ///< transform several fields at once; false if device memory is short
  std::size_t fields_ = 0; ///< number of grid-sized fields, at least
  std::int64_t fingerprint_ = 0; ///< checksum of the input's arrays, for checkpoints
};

template <class Real>
Solver<Real>::Solver(const std::string &input, const std::string &output,
                     const SimulationOptions &options, MPI_Comm comm)
    : options_(options), comm_(comm), host_{options.threads},
      in_(input, comm_, precision_of<Real>, host_), parameters_(checked_parameters(in_, options)),
      device_(open_device(options, parameters_, input, comm_)), exec_{host_, device_.get()},
      basis_(chosen_basis(options, in_, parameters_, comm_)),
      decomposition_(decompose(basis_.options, parameters_, input, comm_,
                               seconds_of_ranks<Real>(options, device_.get(), comm_))),
      local_(part_of<Real>(parameters_, decomposition_, device_.get(), comm_)),
      checkpoint_(find_checkpoint(checked_output(input, output, options, comm_))),
      out_(output, comm_, precision_of<Real>, options.compression,
           checkpoint_ ? OutputStart::from_existing : OutputStart::empty, options.writer) {
  if (checkpoint_) resume();
  // The positions are read before the fingerprint begins; their datasets are read again later and
  // must count once.
  if (options_.xdmf) positions_ = grid_positions(in_, parameters_);
  if (options_.checkpoint.enabled()) in_.begin_fingerprint();
  read_lists();
  fields_ = number_of_fields(in_, parameters_);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  timings_.loading += comm_.max(elapsed.count());
}

template <class Real> void Solver<Real>::resume() {
  first_step_ = done_ = checkpoint_->step();
  constexpr std::array<const char *, 3> extents{"Nx", "Ny", "Nz"};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const auto found = static_cast<std::int64_t>(out_.existing_integer(extents[axis]));
    if (found != parameters_.n[axis])
      throw InputError(out_.path() + ": dataset " + extents[axis] + " is " + std::to_string(found) +
                       ", expected " + std::to_string(parameters_.n[axis]) +
                       ": it is not the output of the checkpoint " + options_.checkpoint.file);
  }
  // Rows after the checkpoint are written again; earlier rows must exist.
  if (static_cast<std::int64_t>(out_.existing_integer("t_index")) < first_step_)
    throw InputError(out_.path() + ": holds fewer than the " + std::to_string(first_step_) +
                     " time steps of the checkpoint " + options_.checkpoint.file +
                     ", expected its output");
  checkpoint_->require_own(out_, parameters_, options_.recording);
  timings_ = read_timings(out_);
}

/// Returns the device memory of this rank in bytes: state, varying properties of the medium,
/// records, source signals, and derivative.
template <class Real> double Solver<Real>::device_bytes(bool at_once) const {
  const Recording &r = options_.recording;
  const auto dimensions = static_cast<std::size_t>(local_.dimensions());
  std::size_t fields = fields_ + r.p.count(Keep::in_grid) + dimensions * r.u.count(Keep::in_grid);
  if (r.u_non_staggered_raw || r.intensity.any()) ++fields;
  if (parameters_.absorption == Absorption::stokes && parameters_.p_source_steps > 0) ++fields;
  // Each sensor point needs its offset, its combined values, and a buffered sample.
  const auto at_sensor = [](const FieldRecording &f) {
    return f.count(Keep::series) + f.count(Keep::at_sensor);
  };
  std::size_t numbers = at_sensor(r.p) + dimensions * at_sensor(r.u);
  if (r.u_non_staggered_raw) numbers += dimensions;
  if (r.intensity.any()) numbers += dimensions + 1;
  std::size_t points = r.intensity.heat ? local_.size() : 0;
  for (const std::unique_ptr<SensorMask<Real>> &mask : sensor_)
    points += mask->offsets().size();
  const std::size_t sensor = points * (sizeof(std::ptrdiff_t) + numbers * sizeof(Real));
  const Decomposition *decomposition = decomposition_ ? &*decomposition_ : nullptr;
  return static_cast<double>(fields * local_.operand_size() * sizeof(Real) + sources_->bytes() +
                             sensor) +
         DeviceFourier<Real>::bytes_needed(parameters_, decomposition, local_, *device_, at_once);
}

/// Checks the device memory before allocating it. If it is short, disables transforms of several
/// fields at once. If it is still short, throws an error with the bytes needed and free.
template <class Real> void Solver<Real>::require_memory_of_device() {
  double bytes = device_bytes(true);
  at_once_ =
      grid::sum_of_device(comm_, *device_, bytes) <= static_cast<double>(device_->memory().free);
  if (!at_once_) bytes = device_bytes(false);
  require_device_memory(in_.path(), parameters_, bytes, *device_, comm_);
  device_text_ = device_->describe() + ", " + gigabytes(bytes) + " needed, " +
                 gigabytes(static_cast<double>(device_->memory().free)) + " free" +
                 (at_once_ ? "" : ", transforms one by one for lack of memory");
}

template <class Real> void Solver<Real>::prepare() {
  timed(timings_.preparing, [&] {
    require_memory(in_.path(), parameters_, memory_need(), comm_);
    if (device_ != nullptr) require_memory_of_device();
    with_memory([&] {
      comm_.agree([&] { state_.emplace(local_, exec_); });
      derivative_ =
          make_derivative({options_, parameters_, decomposition_, local_, comm_, exec_, at_once_},
                          state_->velocity[0], device_text_);
      pml_.emplace(parameters_, local_);
    });
  });
}

template <class Real> void Solver<Real>::read_input() {
  medium_.emplace(in_, parameters_, local_, host_, comm_);
  require_motion(in_, parameters_, medium_->max_speed());
  // If the simulation continues, the checkpoint replaces this pressure later.
  if (parameters_.initial_pressure)
    in_.field("p0_source_input", local_, Values::finite, state_->pressure);
  fingerprint_ = in_.fingerprint();
  comm_.agree([&] {
    step_.emplace(*state_, *medium_, *pml_, *metric_, *sources_, *derivative_, parameters_, local_,
                  exec_);
  });
  AbsorptionStability absorption;
  if (parameters_.absorption != Absorption::none)
    absorption = absorption_stability(parameters_, *medium_, local_, host_, comm_);
  warnings_ = warnings_of(in_, parameters_, {medium_->max_speed(), medium_->uniform(), absorption},
                          decomposition_, options_.allow_unstable);
  comm_.agree([&] {
    medium_->move_to(exec_);
    pml_->move_to(exec_);
    metric_->move_to(exec_);
    sources_->move_to(exec_);
  });
}

template <class Real> void Solver<Real>::advance(std::int64_t n) {
  if (n == 0 && parameters_.initial_pressure) {
    // With an initial pressure, sources have no effect in the first step.
    step_->start_from_pressure();
    return;
  }
  if (n == first_step_) step_->begin();
  step_->advance(n, options_.checkpoint.enabled() || steady_ || n + 1 == parameters_.steps ||
                        recorder_->samples(n));
}

/// Reserves disk space before the first step for all data that are written at the end.
template <class Real> void Solver<Real>::reserve_room() {
  out_.reserve([&] {
    write_header("");
    recorder_->create_at_end();
    if (options_.copy_sensor_mask) copy_sensor_mask(out_, in_, parameters_, local_, comm_);
  });
  if (!options_.checkpoint.enabled()) return;
  next_.emplace(options_.checkpoint.file, comm_, precision_of<Real>, options_.compression);
  next_->reserve([&] { write_checkpoint(); });
}

/// Called at each step. At the end of a period, ends the simulation if the state is steady, and
/// begins a new period otherwise.
template <class Real> void Solver<Real>::end_period() {
  const std::int64_t period = options_.steady.period, left = parameters_.steps - done_;
  if (left % period != 0) return;
  const bool steady = steady_->end_period(done_ >= period);
  if (steady && done_ >= options_.recording.start - 1 + period) {
    recorder_->end_early();
    parameters_.steps = done_;
  } else if (left > 0) {
    recorder_->restart(period);
  } else if (!steady) {
    warnings_.push_back(
        in_.path() + ": the last period differs from the one before by " +
        short_string(steady_->change()) + " of the largest pressure, expected less than " +
        short_string(options_.steady.change) + " (--steady): the state is not steady after " +
        std::to_string(done_) + " time steps");
  }
}

template <class Real>
void Solver<Real>::advance_all(const std::function<void(std::int64_t)> &progress) {
  auto marked = std::chrono::steady_clock::now();
  while (done_ < parameters_.steps && !must_stop()) {
    if (const auto now = std::chrono::steady_clock::now(); now - marked > std::chrono::hours(1)) {
      out_.keep_alive();
      if (next_) next_->keep_alive();
      marked = now;
    }
    advance(done_);
    recorder_->sample(done_, *state_, *derivative_);
    if (steady_) steady_->sample(state_->pressure);
    progress(++done_);
    if (steady_) end_period();
  }
  // A device may still be computing several earlier steps.
  if (device_ != nullptr) comm_.agree([&] { device_->compute().synchronize(); });
}

template <class Real> void Solver<Real>::run(const std::function<void(std::int64_t)> &progress) {
  timed(timings_.simulating, [&] {
    recorder_.emplace(options_.recording, parameters_, first_step_, out_, sensor_, local_, comm_,
                      exec_);
    if (options_.steady.enabled())
      steady_.emplace(options_.steady.change, out_, sensor_, local_, comm_, exec_);
    if (checkpoint_) checkpoint_->restore(fingerprint_, *state_, *recorder_, local_, comm_);
    reserve_room();
    if (const std::string failure = io::failure_of([&] { advance_all(progress); });
        !failure.empty()) {
      io::failure_of([&] { write_header(""); });
      keep_output(failure);
    }
  });
}

template <class Real> void Solver<Real>::warn_if_not_finite() {
  Field<Real> copy;
  const grid::View<Real> p = state_->pressure.on_host(copy, host_.threads).view(local_);
  const grid::Box box = local_.box();
  bool finite = true;
  for (std::ptrdiff_t i = 0; i < box.extent(0); ++i)
    for (std::ptrdiff_t j = 0; j < box.extent(1); ++j)
      for (std::ptrdiff_t k = 0; k < box.extent(2); ++k)
        finite = finite && std::isfinite(p(i, j, k));
  diverged_ = comm_.max(std::int64_t{finite ? 0 : 1}) == 1;
  if (diverged_)
    warnings_.push_back(in_.path() + ": the pressure is not finite after time step " +
                        std::to_string(done_) + ": the simulation has diverged");
}

template <class Real> void Solver<Real>::describe_output() const {
  XdmfScene scene(parameters_, options_.recording.start - 1, done_, out_.arrays());
  scene.positions = positions_;
  if (parameters_.sensor_mask == SensorMaskType::corners) scene.cuboids = read_corners(in_, local_);
  comm_.agree([&] {
    if (comm_.rank() == 0) write_xdmf(scene, out_.path());
  });
}

template <class Real> void Solver<Real>::write_records() {
  timed(timings_.postprocessing, [&] {
    recorder_->flush();
    flushed_ = true;
    if (done_ == parameters_.steps) recorder_->finish(*state_);
    if (options_.copy_sensor_mask) copy_sensor_mask(out_, in_, parameters_, local_, comm_);
  });
  const std::vector<std::string> records = recorder_->not_finite();
  // Diverged fields have already been reported.
  for (std::size_t n = 0; !diverged_ && n < records.size(); ++n)
    warnings_.push_back(out_.path() + ": " + records[n]);
  diverged_ = diverged_ || !records.empty();
}

/// Throws after a failed write. Commits the data written so far under the output's name. If the
/// simulation continues from a checkpoint and its last rows are not written, the earlier output
/// remains instead, and the simulation can continue from the checkpoint again.
template <class Real> void Solver<Real>::keep_output(const std::string &failure) {
  next_.reset();
  if (checkpoint_ && !flushed_) throw io::IoError(failure);
  out_.keep(failure);
}

template <class Real> void Solver<Real>::finish(const std::string &created_by) {
  const auto begin = std::chrono::steady_clock::now();
  const double before = timings_.postprocessing;
  const bool complete = done_ == parameters_.steps;
  warn_if_not_finite();
  std::string failure = io::failure_of([&] { write_records(); });
  const std::string header = io::failure_of([&] { write_header(created_by); });
  if (failure.empty()) failure = header;
  if (failure.empty() && !complete) failure = io::failure_of([&] { write_checkpoint(); });
  if (!failure.empty()) keep_output(failure);
  // All data are written. The output is committed before the checkpoint. After a crash between the
  // two commits, the old checkpoint still matches the output, which only has more time steps.
  out_.commit();
  if (!complete) next_->commit();
  next_.reset();
  if (options_.xdmf) describe_output();
  // A checkpoint that cannot be removed does no harm: continuing from it has no steps left.
  std::error_code none;
  if (complete && checkpoint_ && comm_.rank() == 0)
    std::filesystem::remove(options_.checkpoint.file, none);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  timings_.postprocessing = before + comm_.max(elapsed.count());
}

template <class Real> DeviceLedger::Entries Solver<Real>::kernels() const {
  const DeviceLedger *ledger = derivative_->ledger();
  DeviceLedger::Entries counts = ledger != nullptr ? ledger->entries() : DeviceLedger::Entries();
  for (auto &[name, entry] : counts)
    entry.seconds = comm_.max(entry.seconds);
  return counts;
}

} // namespace

std::unique_ptr<Simulation> Simulation::open(const std::string &input, const std::string &output,
                                             const SimulationOptions &options, MPI_Comm comm) {
  if (options.precision == Precision::single)
    return std::make_unique<Solver<float>>(input, output, options, comm);
  return std::make_unique<Solver<double>>(input, output, options, comm);
}

} // namespace hybridfft::kspace
