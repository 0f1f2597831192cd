// hybridfft-euler: solves Euler's equations of gas dynamics on adaptively refined blocks. An HDF5
// file describes the case.
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "hybridfft/hybridfft.h"
#include "solvers/euler/files/simulation.h"
#include "support/cli_options.h"
#include "support/mpi_main.h"
#include "support/solver_report.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;
using tools::SolverReport;

constexpr const char *program = "hybridfft-euler";

enum class Computes { cpu, gpu };

struct Arguments {
  std::string input, output, halo_depth = "1";
  Computes device = Computes::cpu;
  int threads = 0;
  int progress = 5;
  euler::EulerSimulationOptions simulation;
};

void add_methods(CLI::App &app, Arguments &a) {
  euler::EulerSimulationOptions &s = a.simulation;
  tools::add_choice(app, "--device", a.device,
                    std::map<std::string, Computes>{{"cpu", Computes::cpu}, {"gpu", Computes::gpu}},
                    "What computes: threads, or a GPU for each rank")
      ->default_str("cpu");
  app.add_option("-t,--threads", a.threads,
                 "Threads of each rank; the default shares the processors")
      ->check(tools::at_least(1));
  tools::add_choice(app, "--precision", s.precision,
                    std::map<std::string, io::Precision>{{"single", io::Precision::single},
                                                         {"double", io::Precision::double_}},
                    "Of the fields")
      ->default_str("double");
  app.add_option("--halo_depth", a.halo_depth,
                 "Exchanges per message: 1 or a multiple of 3; auto measures")
      ->type_name("K|auto")
      ->capture_default_str();
  app.add_option("--balance", s.balance,
                 "Excess of the largest load at which blocks are shared anew")
      ->capture_default_str()
      ->check(tools::at_least(0.));
  app.add_option("--balance_interval", s.balance_interval, "Changes of the mesh per balance")
      ->capture_default_str()
      ->check(tools::at_least(std::int64_t{1}));
}

void add_options(CLI::App &app, Arguments &a) {
  euler::EulerSimulationOptions &s = a.simulation;
  app.description(
      "Euler's equations in two or three dimensions on blocks that follow the solution");
  app.set_version_flag("--version", tools::version_text(program));
  app.add_option("-i,--input", a.input, "HDF5 file with the case")->required();
  app.add_option("-o,--output", a.output, "HDF5 file to write; an existing one is replaced")
      ->required();
  add_methods(app, a);
  app.add_option("--snapshot_interval", s.snapshot_interval,
                 "Write the state after so many steps each")
      ->check(tools::at_least(std::int64_t{1}));
  app.add_flag("--xdmf", s.xdmf, "Describe the output for ParaView and VisIt, beside it");
  app.add_flag(
      "--vtk", s.vtk,
      "Write states of up to 10000 blocks for VTK, too: a .vti of each block, .vtm and .pvd");
  app.add_flag("--profile", s.profile, "Print where the time of a step goes");
  app.add_option("-r,--progress", a.progress, "Percent from one line of progress to the next")
      ->capture_default_str()
      ->check(tools::between(1, 100));
  app.add_option("--checkpoint_file", s.checkpoint.file,
                 "File for the state when the run stops before its end; it goes on from there");
  app.add_option("--checkpoint_interval", s.checkpoint.interval, "Stop after so many seconds")
      ->check(tools::at_least(0.));
  app.add_option("--checkpoint_timesteps", s.checkpoint.steps, "Stop after so many time steps")
      ->check(tools::at_least(std::int64_t{0}));
  app.final_callback([&a, &s] {
    if ((s.checkpoint.interval > 0 || s.checkpoint.steps > 0) && s.checkpoint.file.empty())
      throw CLI::ValidationError("--checkpoint_file is missing, expected one with "
                                 "--checkpoint_interval or --checkpoint_timesteps");
    int depth = 0;
    if (a.halo_depth == "auto")
      s.halo_depth = 0;
    else if (tools::detail::parse_number(a.halo_depth, depth) && depth >= 1 &&
             (depth == 1 || depth % 3 == 0))
      s.halo_depth = depth;
    else
      throw CLI::ValidationError("--halo_depth: found '" + a.halo_depth +
                                 "', expected 1, a multiple of 3, or auto");
  });
}

std::string with_unit(double value, const char *format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void report_problem(SolverReport &report, const euler::Problem &p, int ranks, int threads) {
  std::string trees;
  for (int a = 2; a >= 3 - p.dimensions(); --a)
    trees += (a < 2 ? " x " : "") + std::to_string(p.shape.trees[a]);
  report.item("Trees:", trees);
  report.item("Cells of a block:", std::to_string(p.shape.cells) + " along each axis");
  report.item("Levels:", std::to_string(p.shape.max_level + 1));
  if (p.steps < std::int64_t{1} << 52) report.item("Time steps:", std::to_string(p.steps));
  if (std::isfinite(p.t_end)) report.item("End:", with_unit(p.t_end, "%g s"));
  report.item("MPI ranks x threads:", std::to_string(ranks) + " x " + std::to_string(threads));
}

void report_profile(SolverReport &report, const euler::EulerSimulation::EulerTimes &t,
                    double steps) {
  const auto in_step = [steps](double seconds) {
    return with_unit(1e3 * seconds / steps, "%.3f ms");
  };
  report.rule();
  report.item("Profile of a time step", "slowest rank");
  report.item("  kernels:", in_step(t.profile.kernels));
  report.item("  halo within a rank:", in_step(t.profile.halo));
  report.item("  messages:", in_step(t.profile.messages));
  report.item("  adapt:", in_step(t.profile.adapt));
  report.item("  migration:", in_step(t.profile.migration));
  report.item("  output:", in_step(t.output));
}

void report_end(SolverReport &report, const euler::EulerSimulation &simulation, bool profile) {
  const euler::EulerSimulation::EulerTimes t = simulation.times();
  const auto steps = static_cast<double>(
      std::max<std::int64_t>(1, simulation.steps_done() - simulation.first_step()));
  report.rule();
  report.item("Time steps:", std::to_string(simulation.steps_done()));
  report.item("Time:", with_unit(simulation.time(), "%g s"));
  report.item("Leaves:", std::to_string(simulation.leaves()));
  report.item("Time per step:", with_unit(1e3 * t.simulating / steps, "%.3f ms"));
  report.item("Cell updates per second:",
              with_unit(1e-6 * t.cell_updates / t.simulating, "%.4g million"));
  report.item("Simulation:", tools::duration(t.simulating));
  if (profile) report_profile(report, t, steps);
  report.end(simulation.complete() ? "End of computation"
                                   : "Checkpoint after " + std::to_string(simulation.steps_done()) +
                                         " time steps: start again to go on");
}

int simulate(Arguments &a, const grid::Communicator &comm) {
  SolverReport report(comm.rank() == 0);
  euler::EulerSimulationOptions &options = a.simulation;
  options.gpu = a.device == Computes::gpu;
  options.threads = a.threads > 0 ? a.threads : grid::default_threads(comm);
  options.checkpoint.stop_requested = tools::stop_requested;
  const std::string title = std::string(program) + " " + hfft_version();
  report.begin(title);
  std::unique_ptr<euler::EulerSimulation> simulation;
  report.phase(
      "Reading the case",
      [&] { simulation = euler::EulerSimulation::open(a.input, a.output, options, comm); },
      SolverReport::LineOutput::whole);
  for (const std::string &warning : simulation->warnings())
    if (comm.rank() == 0) tools::report_warning(program, warning);
  report.phase(
      "Mesh and initial state", [&] { simulation->prepare(); }, SolverReport::LineOutput::whole);
  report_problem(report, simulation->problem(), comm.size(), options.threads);
  report.item("Leaves:", std::to_string(simulation->leaves()));
  report.text(simulation->plan());
  if (simulation->first_step() > 0)
    report.item("Going on after time step:", std::to_string(simulation->first_step()));
  constexpr double parts = 1e6;
  report.begin_progress(static_cast<std::int64_t>(parts), a.progress, 0);
  simulation->run([&](double share) {
    report.progress(static_cast<std::int64_t>(parts * std::min(share, 1.)));
  });
  report.rule();
  report.phase(
      "Writing the output", [&] { simulation->finish(title); }, SolverReport::LineOutput::whole);
  report_end(report, *simulation, options.profile);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("", program);
  add_options(app, arguments);
  return tools::run(argc, argv, app,
                    [&](auto ranks) { return simulate(arguments, grid::Communicator(ranks)); });
}
