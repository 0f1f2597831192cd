// hybridfft-levelset: moves an interface by the level set method. An HDF5 file describes the case.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.h"
#include "solvers/levelset/files/simulation.h"
#include "solvers/levelset/files/surface.h"
#include "support/cli_options.h"
#include "support/mpi_main.h"
#include "support/solver_report.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;
using tools::SolverReport;

constexpr const char *program = "hybridfft-levelset";

enum class Computes { cpu, gpu };
enum class Tile { eight, sixteen };

struct Arguments {
  std::string input, output;
  Computes device = Computes::cpu;
  Tile tile = Tile::sixteen;
  int threads = 0, writers = 0;
  std::vector<std::string> formats;
  int progress = 10;
  levelset::LevelSetSimulationOptions simulation;
};

void add_methods(CLI::App &app, Arguments &a) {
  levelset::LevelSetSimulationOptions &s = a.simulation;
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
                    "Of phi")
      ->default_str("double");
  tools::add_choice(app, "--tile", a.tile,
                    std::map<std::string, Tile>{{"8", Tile::eight}, {"16", Tile::sixteen}},
                    "Points along an edge of a tile")
      ->default_str("16");
  tools::add_choice(
      app, "--balance", s.balance,
      std::map<std::string, levelset::LoadBalance>{{"T", levelset::LoadBalance::tube},
                                                   {"planes", levelset::LoadBalance::planes},
                                                   {"none", levelset::LoadBalance::none}},
      "Boxes of the ranks: equal points of the band T, planes along x by the source "
      "paper's rule, or equal numbers of tiles")
      ->default_str("T");
  app.add_flag("--dense", s.dense, "Work on all tiles of the grid, not on those of the band alone");
}

void add_output(CLI::App &app, Arguments &a) {
  levelset::LevelSetSimulationOptions &s = a.simulation;
  app.add_option("--snapshot_interval", s.snapshot_interval,
                 "Steps from one front in the output to the next")
      ->check(tools::at_least(std::int64_t{1}));
  app.add_flag("--snapshot_tiles", s.snapshot_tiles,
               "Snapshots have the tiles of the band alone, and no array of all points");
  app.add_option(
         "--format", a.formats,
         "Files of the front beside the output: vti (phi), stl, vtp (triangles of phi = 0), vdb "
         "(phi in the band, where OpenVDB was found); hdf5 is always written")
      ->delimiter(',')
      ->type_name("hdf5,vti,stl,vtp,vdb");
  app.add_option("--writers", a.writers,
                 "Ranks, the last ones, that write snapshots while the others compute")
      ->capture_default_str()
      ->check(tools::at_least(0));
  app.add_flag("--medium", s.medium,
               "Write sound_speed and density of the media on both sides of the front");
  app.add_option("--stl", s.stl,
                 "STL file with closed triangles, in m, in place of a front in the input");
  app.add_flag("--profile", s.profile, "Print where the time of a step goes");
  app.add_option("-r,--progress", a.progress, "Percent from one report of the front to the next")
      ->capture_default_str()
      ->check(tools::between(1, 100));
  app.add_flag("--xdmf", s.xdmf, "Describe the output for ParaView and VisIt, beside it");
  app.add_option("--checkpoint_file", s.checkpoint.file,
                 "File for the state when the run stops before its end; it goes on from there");
  app.add_option("--checkpoint_interval", s.checkpoint.interval, "Stop after so many seconds")
      ->check(tools::at_least(0.));
  app.add_option("--checkpoint_timesteps", s.checkpoint.steps, "Stop after so many steps")
      ->check(tools::at_least(std::int64_t{0}));
  app.final_callback([&a, &s] {
    for (const std::string &format : a.formats) {
      if (format == "vdb" && !levelset::has_vdb())
        throw CLI::ValidationError("--format: found vdb, expected names out of hdf5, vti, stl and "
                                   "vtp: this build has no OpenVDB");
      if (format != "hdf5" && format != "vti" && format != "stl" && format != "vtp" &&
          format != "vdb")
        throw CLI::ValidationError("--format: found " + format +
                                   ", expected names out of hdf5, vti, stl, vtp and vdb");
      s.formats.vti |= format == "vti";
      s.formats.stl |= format == "stl";
      s.formats.vtp |= format == "vtp";
      s.formats.vdb |= format == "vdb";
    }
    if ((s.checkpoint.interval > 0 || s.checkpoint.steps > 0) && s.checkpoint.file.empty())
      throw CLI::ValidationError("--checkpoint_file is missing, expected one with "
                                 "--checkpoint_interval or --checkpoint_timesteps");
  });
}

void add_options(CLI::App &app, Arguments &a) {
  app.description("Fronts that move by velocities, normal speeds and curvature: level sets in a "
                  "narrow band");
  app.set_version_flag("--version", tools::version_text(program));
  app.add_option("-i,--input", a.input, "HDF5 file with the front and its motion")->required();
  app.add_option("-o,--output", a.output, "HDF5 file to write; an existing one is replaced")
      ->required();
  add_methods(app, a);
  add_output(app, a);
}

std::string with_unit(double value, const char *format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void report_problem(SolverReport &report, const levelset::FrontSettings &s, int ranks,
                    int threads) {
  const levelset::Problem &p = s.problem;
  report.item("Grid (Nx x Ny x Nz):", std::to_string(p.points[2]) + " x " +
                                          std::to_string(p.points[1]) + " x " +
                                          std::to_string(p.points[0]));
  report.item("Order:", std::to_string(p.order));
  report.item("Band (beta, gamma):",
              with_unit(p.beta / p.h, "%g h, ") + with_unit(p.gamma / p.h, "%g h"));
  report.item("Steps:", s.steps ? std::to_string(*s.steps) : "up to the end time");
  report.item("MPI ranks x threads:", std::to_string(ranks) + " x " + std::to_string(threads));
}

void report_state(SolverReport &report, const levelset::State &s) {
  report.item("Step " + std::to_string(s.step) + ":",
              with_unit(s.time, "t = %.6g s, ") + std::to_string(s.points) + " points of T, " +
                  std::to_string(s.tiles) + " tiles, balance " + with_unit(s.balance, "%.3f"));
  report.item("", with_unit(s.volume, "volume %.6g m^3 ") +
                      with_unit(100 * s.loss, "(%+.3f %%), ") + with_unit(s.area, "area %.6g m^2"));
  if (s.vanished) report.item("", "the front has vanished");
}

void report_profile(SolverReport &report, const levelset::LevelSetSimulation::LevelSetTimes &t,
                    double steps) {
  const auto in_step = [steps](double seconds) {
    return with_unit(1e3 * seconds / steps, "%.3f ms");
  };
  report.rule();
  report.item("Profile of a time step", "slowest rank");
  report.item("  advance:", in_step(t.parts.advance));
  report.item("  reinitialise:", in_step(t.parts.reinitialise));
  report.item("  tubes:", in_step(t.parts.tubes));
  report.item("  exchange:", in_step(t.parts.exchange));
  report.item("  balance:", in_step(t.balance));
  report.item("  output:", in_step(t.output));
}

int compute(Arguments &a, const grid::Communicator &comm) {
  SolverReport report(comm.rank() == 0);
  levelset::LevelSetSimulationOptions &options = a.simulation;
  options.gpu = a.device == Computes::gpu;
  options.tile = a.tile == Tile::eight ? 8 : 16;
  options.report = a.progress / 100.;
  options.threads = a.threads > 0 ? a.threads : grid::default_threads(comm);
  options.checkpoint.stop_requested = tools::stop_requested;
  const std::string title = std::string(program) + " " + hfft_version();
  report.begin(title);
  std::unique_ptr<levelset::LevelSetSimulation> simulation;
  report.phase("Reading simulation configuration", [&] {
    simulation = levelset::LevelSetSimulation::open(a.input, a.output, options, comm);
  });
  report.phase(
      "Data loading and first front", [&] { simulation->prepare(); },
      SolverReport::LineOutput::whole);
  report_problem(report, simulation->settings(), comm.size(), options.threads);
  if (a.writers > 0) report.item("Writers:", std::to_string(a.writers));
  if (!simulation->device().empty()) report.item("Device:", simulation->device());
  if (simulation->first_step() > 0)
    report.item("Going on after step:", std::to_string(simulation->first_step()));
  report.rule();
  simulation->run([&](const levelset::State &state) { report_state(report, state); });
  report.rule();
  report.phase(
      "Writing the rest of the output", [&] { simulation->finish(title); },
      SolverReport::LineOutput::whole);
  for (const std::string &warning : simulation->warnings())
    if (comm.rank() == 0) tools::report_warning(program, warning);
  const levelset::LevelSetSimulation::LevelSetTimes t = simulation->times();
  const std::int64_t steps = simulation->steps_done() - simulation->first_step();
  report.rule();
  if (steps > 0)
    report.item("Time per step:", with_unit(1e3 * t.steps / static_cast<double>(steps), "%.3f ms"));
  report.item("Simulation, output:", tools::duration(t.steps) + ", " + tools::duration(t.output));
  if (options.profile && steps > 0) report_profile(report, t, static_cast<double>(steps));
  report.end(simulation->complete()
                 ? "End of computation"
                 : "Checkpoint after " + std::to_string(simulation->steps_done()) +
                       " steps: start again to go on");
  return simulation->diverged() ? tools::status_diverged : 0;
}

/// Runs the simulation on this rank, or serves as a writer for computing ranks.
int simulate(Arguments &a, const grid::Communicator &comm) {
  if (a.writers == 0) return compute(a, comm);
  if (a.writers >= comm.size())
    throw Error(HFFT_ERROR_ARGUMENT, "--writers: found " + std::to_string(a.writers) +
                                         ", expected less than the number of ranks, " +
                                         std::to_string(comm.size()));
  const auto ranks = std::make_shared<io::WriterRanks>(comm.handle(), a.writers);
  if (ranks->writes()) {
    const int status = ranks->serve();
    if (status == 1) throw Error(HFFT_ERROR_ARGUMENT, "the computing ranks have failed");
    return status;
  }
  a.simulation.writers = ranks;
  try {
    const int status = compute(a, grid::Communicator(ranks->group()));
    ranks->release(status);
    a.simulation.writers.reset();
    return status;
  } catch (...) { // the destructor of WriterRanks then ends this rank's writer
    a.simulation.writers.reset();
    throw;
  }
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("", program);
  add_options(app, arguments);
  return tools::run(argc, argv, app, [&arguments](MPI_Comm comm) {
    return simulate(arguments, grid::Communicator(comm));
  });
}
