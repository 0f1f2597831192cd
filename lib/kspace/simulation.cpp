#include "kspace/simulation.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "kspace/axisymmetric_fourier.h"
#include "kspace/global_fourier.h"
#include "kspace/machine.h"
#include "kspace/output_header.h"
#include "kspace/source.h"
#include "kspace/stability.h"
#include "kspace/step.h"

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

} // namespace

struct Simulation::Impl {
  Impl(const std::string &input, const std::string &output, const SimulationOptions &o,
       MPI_Comm mpi)
      : options(o), comm(mpi), host{o.threads}, in(input, comm), parameters(read_parameters(in)),
        slab(parameters.n, comm), out(checked_output(input, output, comm), comm, o.compression) {
    if (options.steps > 0) parameters.steps = options.steps;
    if (options.recording.start < 1 || options.recording.start > parameters.steps)
      throw InputError("recording starts at time step " + std::to_string(options.recording.start) +
                       ", expected 1 to " + std::to_string(parameters.steps) +
                       " (the number of time steps)");
  }

  /// Runs a phase and adds the time of the slowest rank.
  template <class F> void timed(double &seconds, const F &phase) {
    const auto begin = std::chrono::steady_clock::now();
    phase();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    seconds += comm.max(elapsed.count());
  }

  void prepare();
  void load();
  void advance(std::int64_t n);
  void warn_if_unstable();

  SimulationOptions options;
  grid::Communicator comm;
  grid::Host host;
  InputFile in;
  Parameters parameters;
  Slab slab;
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
};

void Simulation::Impl::prepare() {
  comm.agree([&] { state.emplace(slab, host); });
  Field &scratch = state->velocity[0];
  const Transforms::Settings settings{options.effort, false};
  if (parameters.axisymmetric)
    derivative =
        std::make_unique<AxisymmetricFourier>(parameters, slab, comm, host, settings, scratch);
  else
    derivative = std::make_unique<GlobalFourier>(parameters, slab, comm, host, settings, scratch);
  // Planning may have left anything in it.
  std::fill(scratch.real().begin(), scratch.real().end(), 0.0F);
  pml.emplace(parameters, slab);
}

void Simulation::Impl::load() {
  medium.emplace(in, parameters, slab, host, comm);
  stretch.emplace(in, parameters, slab);
  sources.emplace(in, parameters, slab, host);
  sensor = read_sensor(in, parameters, slab, comm);
  if (parameters.initial_pressure)
    in.field("p0_source_input", slab, InputFile::Values::finite, state->pressure);
  comm.agree(
      [&] { step.emplace(*state, *medium, *pml, *stretch, *derivative, parameters, slab, host); });
  warn_if_unstable();
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
  step->update_velocity();
  sources->drive_velocity(n, *state, *derivative);
  step->update_density();
  sources->drive_density(n, *state, *derivative);
  step->update_pressure();
}

Simulation::Simulation(const std::string &input, const std::string &output,
                       const SimulationOptions &options, MPI_Comm comm) {
  const auto begin = std::chrono::steady_clock::now();
  impl_ = std::make_unique<Impl>(input, output, options, comm);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  impl_->timings.loading = impl_->comm.max(elapsed.count());
}

Simulation::~Simulation() = default;

void Simulation::prepare() {
  impl_->timed(impl_->timings.preparing, [&] { impl_->prepare(); });
}

void Simulation::load() {
  impl_->timed(impl_->timings.loading, [&] { impl_->load(); });
}

void Simulation::run(const std::function<void(std::int64_t)> &progress) {
  Impl &s = *impl_;
  s.timed(s.timings.simulating, [&] {
    s.recorder.emplace(s.options.recording, s.parameters.steps, s.out, s.sensor, s.slab, s.comm,
                       s.host);
    for (std::int64_t n = 0; n < s.parameters.steps; ++n) {
      s.advance(n);
      s.recorder->sample(n, *s.state, *s.derivative);
      progress(n + 1);
    }
  });
}

void Simulation::finish(const std::string &created_by) {
  Impl &s = *impl_;
  const auto begin = std::chrono::steady_clock::now();
  s.timed(s.timings.postprocessing, [&] {
    s.recorder->finish(*s.state);
    write_scalars(s.out, s.parameters);
    if (s.options.copy_sensor_mask) copy_sensor_mask(s.out, s.in, s.parameters, s.slab, s.comm);
  });
  write_attributes(s.out, s.parameters, created_by, s.timings, total_memory(), s.host.threads,
                   s.comm);
  s.out.commit();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  s.timings.postprocessing = s.comm.max(elapsed.count());
}

const Parameters &Simulation::parameters() const { return impl_->parameters; }
const std::vector<std::string> &Simulation::warnings() const { return impl_->warnings; }
const Timings &Simulation::timings() const { return impl_->timings; }
double Simulation::total_memory() const { return impl_->comm.sum(peak_memory()); }
int Simulation::threads() const { return impl_->host.threads; }
int Simulation::ranks() const { return impl_->comm.size(); }
std::string Simulation::plans() const { return impl_->derivative->describe(); }

} // namespace hybridfft::kspace
