#include "kspace/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "kspace/axisymmetric_fourier.h"
#include "kspace/checkpoint.h"
#include "kspace/fieldwise.h"
#include "kspace/fused_fourier.h"
#include "kspace/global_fourier.h"
#include "kspace/good_size.h"
#include "kspace/machine.h"
#include "kspace/output_header.h"
#include "kspace/source.h"
#include "kspace/stability.h"
#include "kspace/step.h"
#include "kspace/xdmf.h"

namespace hybridfft::kspace {

namespace {

/// Opening the output creates it, so an input of the same name would be lost at the end.
std::string checked_output(const std::string &input, const std::string &output,
                           const grid::Communicator &comm) {
  comm.agree([&] {
    std::error_code none;
    if (std::filesystem::equivalent(input, output, none))
      throw InputError(output + ": the output file is the input file, expected another name");
  });
  return output;
}

/// With the number of time steps that the options ask for.
Parameters checked_parameters(const InputFile &in, const SimulationOptions &options) {
  Parameters p = read_parameters(in);
  if (options.steps > 0) p.steps = options.steps;
  const std::int64_t start = options.recording.start;
  if (start < 1 || start > p.steps)
    throw InputError("The beginning of data sampling is out of the simulation time span: recording "
                     "starts at time step " +
                     std::to_string(start) + ", expected 1 to " + std::to_string(p.steps) +
                     " (the number of time steps)");
  if (options.recording.intensity.heat && (p.axisymmetric || p.nonuniform_grid))
    throw Unsupported(in.path() +
                      ": --Q_term is for uniform grids in two and three dimensions, and "
                      "dataset " +
                      (p.axisymmetric ? "axisymmetric_flag" : "nonuniform_grid_flag") + " is 1");
  return p;
}

} // namespace

struct Simulation::Impl {
  Impl(const std::string &input, const std::string &output, const SimulationOptions &o,
       MPI_Comm mpi)
      : options(o), comm(mpi), host{o.threads}, in(input, comm),
        parameters(checked_parameters(in, options)), fused(FusedFourier::applies(parameters, comm)),
        slab(parameters.n, comm, fused ? Slab::Rows::aligned : Slab::Rows::transformable),
        checkpoint(find_checkpoint()),
        out(checked_output(input, output, comm), comm, o.compression,
            checkpoint ? OutputFile::Start::from_existing : OutputFile::Start::empty, o.writer) {
    if (!checkpoint) return;
    first_step = done = checkpoint->step();
    // Rows that were written after the checkpoint are written again; none may be missing.
    if (static_cast<std::int64_t>(out.existing_integer("t_index")) < first_step)
      throw InputError(output + ": holds fewer than the " + std::to_string(first_step) +
                       " time steps of the checkpoint " + options.checkpoint.file +
                       ", expected its output");
    timings = read_timings(out);
  }

  std::optional<Checkpoint> find_checkpoint() const {
    if (!options.checkpoint.enabled()) return std::nullopt;
    return Checkpoint::find(options.checkpoint.file, parameters, options.recording, comm);
  }

  /// Runs a phase and adds the time of the slowest rank.
  template <class F> void timed(double &seconds, const F &phase) {
    const auto begin = std::chrono::steady_clock::now();
    phase();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    seconds += comm.max(elapsed.count());
  }

  void prepare();
  void plan_derivative();
  void load();
  void advance(std::int64_t n);
  bool must_stop() const;
  void write_results();
  void describe_output() const;
  void warn_if_not_finite();
  void warn_if_unstable();
  void refuse_unstable_dispersion();

  SimulationOptions options;
  grid::Communicator comm;
  grid::Host host;
  InputFile in;
  Parameters parameters;
  bool fused; ///< element-wise work is done within transforms
  Slab slab;
  std::optional<Checkpoint> checkpoint; ///< that the simulation goes on from
  OutputFile out;
  std::optional<State> state;
  std::unique_ptr<Derivative> derivative;
  std::optional<Pml> pml;
  std::optional<Medium> medium;
  std::optional<Stretch> stretch;
  std::optional<Sources> sources;
  std::vector<std::unique_ptr<SensorMask>> sensor;
  std::optional<Step> step;
  std::optional<Recorder> recorder;
  std::vector<std::string> warnings;
  Timings timings;
  std::int64_t first_step = 0, done = 0;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

void Simulation::Impl::plan_derivative() {
  if (fused) {
    derivative = std::make_unique<FusedFourier>(parameters, slab, comm, host);
    return;
  }
  Field &scratch = state->velocity[0];
  const Transforms::Settings settings{options.effort, options.checkpoint.enabled()};
  std::unique_ptr<FieldOperators> operators;
  if (parameters.axisymmetric)
    operators =
        std::make_unique<AxisymmetricFourier>(parameters, slab, comm, host, settings, scratch);
  else
    operators = std::make_unique<GlobalFourier>(parameters, slab, comm, host, settings, scratch);
  // Planning may have left anything in it.
  std::fill(scratch.real().begin(), scratch.real().end(), 0.0F);
  derivative = std::make_unique<Fieldwise>(std::move(operators), slab, comm, host);
}

void Simulation::Impl::prepare() {
  comm.agree([&] { state.emplace(slab, host); });
  plan_derivative();
  pml.emplace(parameters, slab);
}

void Simulation::Impl::load() {
  medium.emplace(in, parameters, slab, host, comm);
  stretch.emplace(in, parameters, slab);
  sources.emplace(in, parameters, slab, host);
  sensor = read_sensor(in, parameters, slab, comm);
  if (parameters.initial_pressure && !checkpoint)
    in.field("p0_source_input", slab, InputFile::Values::finite, state->pressure);
  comm.agree(
      [&] { step.emplace(*state, *medium, *pml, *stretch, *derivative, parameters, slab, host); });
  for (const std::string &advice : size_advice(parameters.n))
    warnings.push_back(in.path() + ": " + advice);
  warn_if_unstable();
  if (parameters.absorption == Absorption::power_law) refuse_unstable_dispersion();
}

void Simulation::Impl::refuse_unstable_dispersion() {
  const DispersionStability found = dispersion_stability(parameters, *medium, slab, comm);
  if (found.stable()) return;
  const std::string reason =
      in.path() + ": dataset alpha_power is " +
      to_string(static_cast<double>(parameters.alpha_power)) +
      ": with this alpha_coeff and dt the dispersion term |eta| k^(y-1) is " +
      to_string(found.value) + " at k = " + to_string(found.wavenumber) +
      " rad/m, expected at most " + to_string(found.bound) + ": the simulation would diverge";
  if (!options.allow_unstable) throw InputError(reason + " (--allow-unstable goes on anyway)");
  warnings.push_back(reason);
}

void Simulation::Impl::warn_if_unstable() {
  const double largest =
      largest_stable_step(static_cast<double>(parameters.c_ref), medium->max_speed(), parameters);
  if (static_cast<double>(parameters.dt) <= largest) return;
  warnings.push_back(in.path() + ": dataset dt is " +
                     to_string(static_cast<double>(parameters.dt)) +
                     " s, above the stability limit of " + to_string(largest) +
                     " s for sound speeds up to " + to_string(medium->max_speed()) +
                     " m/s with c_ref = " + to_string(static_cast<double>(parameters.c_ref)) +
                     " m/s: the simulation may diverge");
}

void Simulation::Impl::advance(std::int64_t n) {
  if (n == 0 && parameters.initial_pressure) {
    // Replaces whatever a source would do in the first step.
    step->start_from_pressure();
    return;
  }
  const auto then = [](bool driven) { return driven ? Step::Then::sources : Step::Then::nothing; };
  step->keep_pressure(options.checkpoint.enabled() || n + 1 == parameters.steps ||
                      recorder->samples(n));
  step->update_velocity(then(sources->drive_velocity_at(n)));
  sources->drive_velocity(n, *state, *derivative);
  step->update_density(then(sources->drive_density_at(n)));
  sources->drive_density(n, *state, *derivative);
  step->update_pressure();
}

Simulation::Simulation(const std::string &input, const std::string &output,
                       const SimulationOptions &options, MPI_Comm comm) {
  const auto begin = std::chrono::steady_clock::now();
  impl_ = std::make_unique<Impl>(input, output, options, comm);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  impl_->timings.loading += impl_->comm.max(elapsed.count());
}

Simulation::~Simulation() = default;

void Simulation::prepare() {
  impl_->timed(impl_->timings.preparing, [&] { impl_->prepare(); });
}

void Simulation::load() {
  impl_->timed(impl_->timings.loading, [&] { impl_->load(); });
}

bool Simulation::Impl::must_stop() const {
  const CheckpointOptions &c = options.checkpoint;
  if (!c.enabled()) return false;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const bool mine = (c.steps > 0 && done - first_step >= c.steps) ||
                    (c.interval > 0 && elapsed.count() > c.interval) ||
                    (c.stop_requested && c.stop_requested());
  // Clocks and signals differ between ranks.
  return comm.max(std::int64_t{mine ? 1 : 0}) == 1;
}

void Simulation::run(const std::function<void(std::int64_t)> &progress) {
  Impl &s = *impl_;
  s.timed(s.timings.simulating, [&] {
    s.recorder.emplace(s.options.recording, s.parameters, s.first_step, s.out, s.sensor, s.slab,
                       s.comm, s.host);
    if (s.checkpoint) s.checkpoint->restore(*s.state, *s.recorder, s.slab, s.comm);
    while (s.done < s.parameters.steps && !s.must_stop()) {
      s.advance(s.done);
      s.recorder->sample(s.done, *s.state, *s.derivative);
      progress(++s.done);
    }
  });
}

void Simulation::Impl::warn_if_not_finite() {
  const grid::View<float> p = state->pressure.view(slab);
  const grid::Box box = slab.real();
  bool finite = true;
  for (std::ptrdiff_t i = 0; i < box.n0; ++i)
    for (std::ptrdiff_t j = 0; j < box.n1; ++j)
      for (std::ptrdiff_t k = 0; k < box.n2; ++k)
        finite = finite && std::isfinite(p(i, j, k));
  if (comm.max(std::int64_t{finite ? 0 : 1}) == 1)
    warnings.push_back(in.path() + ": the pressure is not finite after time step " +
                       std::to_string(done) + ": the simulation has diverged");
}

void Simulation::Impl::describe_output() const {
  XdmfScene scene(parameters, options.recording.start - 1, done, out.arrays());
  if (parameters.sensor_mask == SensorMaskType::corners) scene.cuboids = read_corners(in, slab);
  comm.agree([&] {
    if (comm.rank() == 0) write_xdmf(scene, out.path());
  });
}

void Simulation::Impl::write_results() {
  warn_if_not_finite();
  const bool complete = done == parameters.steps;
  if (complete)
    recorder->finish(*state);
  else
    recorder->flush();
  write_scalars(out, parameters, done);
  if (options.copy_sensor_mask) copy_sensor_mask(out, in, parameters, slab, comm);
}

void Simulation::finish(const std::string &created_by) {
  Impl &s = *impl_;
  const auto begin = std::chrono::steady_clock::now();
  const double before = s.timings.postprocessing;
  s.timed(s.timings.postprocessing, [&] { s.write_results(); });
  write_attributes(s.out, s.parameters, created_by, s.timings, total_memory(), s.host.threads,
                   s.comm);
  // The output first: a crash between the two leaves a checkpoint that fits an output with more
  // time steps than it needs.
  s.out.commit();
  if (s.done < s.parameters.steps)
    Checkpoint::write(s.options.checkpoint.file, s.options.compression, s.done, s.parameters,
                      s.options.recording, *s.state, *s.recorder, s.slab, s.comm);
  else if (s.checkpoint && s.comm.rank() == 0)
    std::filesystem::remove(s.options.checkpoint.file);
  if (s.options.xdmf) s.describe_output();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  s.timings.postprocessing = before + s.comm.max(elapsed.count());
}

const Parameters &Simulation::parameters() const { return impl_->parameters; }
const std::vector<std::string> &Simulation::warnings() const { return impl_->warnings; }
const Timings &Simulation::timings() const { return impl_->timings; }
double Simulation::total_memory() const { return impl_->comm.sum(peak_memory()); }
std::int64_t Simulation::first_step() const { return impl_->first_step; }
std::int64_t Simulation::steps_done() const { return impl_->done; }
int Simulation::threads() const { return impl_->host.threads; }
int Simulation::ranks() const { return impl_->comm.size(); }
std::vector<std::pair<std::string, double>> Simulation::stage_times() const {
  std::vector<std::pair<std::string, double>> times;
  for (const Derivative::StageTime &t : impl_->derivative->stage_times())
    times.emplace_back(t.stage, impl_->comm.max(t.seconds));
  return times;
}

std::string Simulation::plans() const { return impl_->derivative->describe(); }

} // namespace hybridfft::kspace
