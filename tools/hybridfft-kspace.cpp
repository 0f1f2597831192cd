// hybridfft-kspace: runs a k-space pseudospectral acoustic simulation described by a k-Wave input
// file.
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/binding.h"
#include "solvers/kspace/simulation.h"
#include "support/kspace/options.h"
#include "support/mpi_main.h"
#include "support/processor_use.h"
#include "support/solver_report.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;

/// True if the command line requests checkpoints. The options are parsed again later; errors are
/// reported then.
bool has_checkpoints(int argc, char **argv) {
  std::vector<char *> copy(argv, argv + argc + 1); // because getopt_long reorders the arguments
  try {
    return tools::parse_kspace_options(argc, copy.data()).simulation.checkpoint.enabled();
  } catch (const tools::UsageError &) {
    return false;
  }
}

std::string with_unit(double value, const char *format) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string in_megabytes(double bytes) { return with_unit(bytes / (1024 * 1024), "%.0f MB"); }

std::string times(const kspace::Extents &n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

void report_configuration(tools::SolverReport &report, const kspace::Simulation &simulation,
                          const tools::KspaceOptions &options, const std::string &use) {
  const kspace::Parameters &p = simulation.parameters();
  report.item("Grid (Nx x Ny x Nz):", times(p.n));
  report.item("Time steps:", std::to_string(p.steps));
  report.item("Time step:", with_unit(p.dt, "%g s"));
  report.item("MPI ranks x threads:",
              std::to_string(simulation.ranks()) + " x " + std::to_string(simulation.threads()));
  if (options.simulation.basis.kind != kspace::BasisOptions::Selection::global)
    report.text("Basis: " + simulation.basis());
  if (!use.empty()) report.item("Processors:", use);
  const bool single = options.simulation.precision == kspace::Precision::single;
  report.item("Precision:", single ? "single" : "double");
  if (options.verbosity == 0) return;
  report.item("Input file:", options.input);
  report.item("Output file:", options.output);
  report.item("PML (points per side):", times(p.pml_size));
  report.item("Initial pressure:", p.initial_pressure ? "yes" : "no");
  report.item("Time samples of the pressure source:", std::to_string(p.p_source_steps));
  report.item("First recorded time step:", std::to_string(options.simulation.recording.start));
  report.item("Deflate level of the output:", std::to_string(options.simulation.compression));
}

/// Returns the simulation's speed in millions of grid points per second.
double points_per_second(const kspace::Simulation &simulation) {
  double points = 1.;
  for (const auto extent : simulation.parameters().n)
    points *= static_cast<double>(extent);
  return 1e-6 * points * static_cast<double>(simulation.steps_done()) /
         simulation.timings().simulating;
}

void report_summary(tools::SolverReport &report, const kspace::Simulation &simulation,
                    bool steady) {
  const kspace::Timings &t = simulation.timings();
  const double step = 1e3 * t.simulating / static_cast<double>(simulation.steps_done());
  const double memory = simulation.total_memory();
  report.rule();
  if (steady)
    report.item("Change of the last period:",
                with_unit(simulation.steady_change(), "%.2g, after ") +
                    std::to_string(simulation.steps_done()) + " time steps");
  report.item("Time per step:", with_unit(step, "%.3f ms"));
  report.item("Grid points per second:", with_unit(points_per_second(simulation), "%.3g million"));
  report.item("Loading:", tools::duration(t.loading));
  report.item("Preparation and planning:", tools::duration(t.preparing));
  report.item("Simulation:", tools::duration(t.simulating));
  for (const auto &[stage, seconds] : simulation.stage_times())
    report.item("  in this run, " + stage + ":", tools::duration(seconds));
  report.item("Post-processing:", tools::duration(t.postprocessing));
  report.item("Total:", tools::duration(t.total()));
  report.item("Peak memory of all ranks:", in_megabytes(memory));
}

/// Prints the time and memory traffic per step of each device kernel, on rank 0.
void report_kernels(tools::SolverReport &report, const kspace::Simulation &simulation,
                    double steps) {
  double seconds = 0, bytes = 0;
  const auto item = [&](const std::string &name, double time, double moved) {
    report.item("  " + name + ":",
                with_unit(1e3 * time / steps, "%.3f ms, ") +
                    with_unit(moved / steps / simulation.points_of_rank(), "%.1f B/point, ") +
                    with_unit(1e-9 * moved / time, "%.0f GB/s"));
  };
  for (const auto &[name, kernel] : simulation.kernels()) {
    item(name, kernel.seconds, kernel.bytes);
    seconds += kernel.seconds;
    bytes += kernel.bytes;
  }
  if (bytes > 0) item("all kernels", seconds, bytes);
}

/// Prints the milliseconds per time step for computing, packing and waiting, and the time with
/// messages in flight.
void report_profile(tools::SolverReport &report, const kspace::Simulation &simulation) {
  const auto steps = static_cast<double>(simulation.steps_done() - simulation.first_step());
  const auto in_step = [&](double seconds) { return with_unit(1e3 * seconds / steps, "%.3f ms"); };
  report.rule();
  report.item("Profile of a time step", "slowest rank");
  for (const auto &[stage, seconds] : simulation.stage_times())
    report.item("  " + stage + ":", in_step(seconds));
  report_kernels(report, simulation, steps);
  double wait = 0, exchange = 0;
  for (const auto &t : simulation.exchange_times()) {
    report.item("  " + t.field + ": pack, wait, exchange:",
                in_step(t.pack) + ", " + in_step(t.wait) + ", " + in_step(t.exchange));
    report.item("  " + t.field + ": sent by all ranks:", with_unit(t.bytes / 1e6, "%.3f MB"));
    wait += t.wait;
    exchange += t.exchange;
  }
  if (exchange > 0)
    report.item("  hidden share of exchanges:", with_unit(100 * (1 - wait / exchange), "%.0f %%"));
}

int simulate(tools::KspaceOptions &options, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  tools::SolverReport report(rank == 0);
  options.simulation.threads = options.threads > 0 ? options.threads : default_threads(comm);
  const std::string program = std::string("hybridfft-kspace ") + hfft_version();

  options.simulation.checkpoint.stop_requested = tools::stop_requested;
  using Line = tools::SolverReport::LineOutput;
  report.begin(program);
  std::unique_ptr<kspace::Simulation> simulation;
  report.phase("Reading simulation configuration", [&] {
    simulation = kspace::Simulation::open(options.input, options.output, options.simulation, comm);
  });
  const bool chosen = options.threads > 0 || tools::threads_chosen_by_environment();
  report_configuration(report, *simulation, options,
                       tools::processor_use(comm, simulation->threads(), chosen).text);
  report.rule();
  report.phase("Memory allocation and FFT planning", [&] { simulation->prepare(); });
  if (!simulation->device().empty()) report.text("Device: " + simulation->device());
  if (options.verbosity == 2) report.text(simulation->plans());
  report.phase(
      "Data loading", [&] { simulation->load(); }, Line::whole);
  std::size_t warned = 0;
  const auto warn = [&] {
    for (; warned < simulation->warnings().size(); ++warned)
      if (rank == 0) tools::report_warning("hybridfft-kspace", simulation->warnings()[warned]);
  };
  warn();
  if (simulation->first_step() > 0) {
    report.item("Going on after time step:", std::to_string(simulation->first_step()));
    std::error_code none;
    const auto bytes = static_cast<double>(std::filesystem::file_size(options.output, none));
    if (!none) report.item("In a copy of the output, beside it:", in_megabytes(bytes));
  }
  report.item("Memory of all ranks:", in_megabytes(simulation->total_memory()));
  report.begin_progress(simulation->parameters().steps, options.progress_interval,
                        simulation->first_step());
  simulation->run([&](std::int64_t done) { report.progress(done); });
  report.rule();
  report.phase(
      "Writing the rest of the output", [&] { simulation->finish(program); }, Line::whole);
  warn();
  report_summary(report, *simulation, options.simulation.steady.enabled());
  if (options.profile) report_profile(report, *simulation);
  const bool complete = simulation->steps_done() == simulation->parameters().steps;
  report.end(complete ? "End of computation"
                      : "Checkpoint after " + std::to_string(simulation->steps_done()) +
                            " time steps: start again to go on");
  return simulation->diverged() ? options.diverged_status : 0;
}

tools::Parsed parse(int argc, char **argv, bool speaks, tools::KspaceOptions &options) {
  try {
    options = tools::parse_kspace_options(argc, argv);
  } catch (const tools::UsageError &e) {
    if (speaks) {
      tools::report_fatal_error(e.what());
      std::fputs("Try 'hybridfft-kspace --help'.\n", stderr);
    }
    return {true, 1};
  }
  if (options.version && speaks)
    std::puts(tools::version_text("hybridfft-kspace").c_str());
  else if (options.help && speaks)
    std::fputs(tools::kspace_usage().c_str(), stdout);
  return {options.help || options.version, 0};
}

} // namespace

int main(int argc, char **argv) {
  tools::KspaceOptions options;
  const tools::ProgramParts frame{[&](bool speaks) { return parse(argc, argv, speaks, options); },
                                  tools::report_fatal_error,
                                  [&] { return has_checkpoints(argc, argv); }};
  return tools::run(argc, argv, frame, [&](MPI_Comm comm) { return simulate(options, comm); });
}
