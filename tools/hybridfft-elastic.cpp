// hybridfft-elastic: runs a simulation of elastic waves described by an HDF5 file.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.h"
#include "solvers/elastic/files/simulation.h"
#include "support/cli_options.h"
#include "support/mpi_main.h"
#include "support/solver_report.h"
#include "support/version_text.h"

namespace {

using namespace hybridfft;
using tools::SolverReport;

constexpr const char *program = "hybridfft-elastic";

enum class Exchange { automatic, each, wide, least };
enum class Order { automatic, in_order, all_at_once };
enum class Surface { of_file, none, fs2, fs4 };

enum class Computes { cpu, gpu };

struct Arguments {
  std::string input, output;
  Computes device = Computes::cpu;
  int threads = 0;
  int progress = 5;
  Exchange exchange = Exchange::automatic;
  Order order = Order::automatic;
  Surface surface = Surface::of_file;
  std::vector<std::string> snapshots;
  elastic::ElasticSimulationOptions simulation;
};

/// Adds k-Wave's recording options for the quantity `q`: "p" (pressure) or "u" (velocity). Help
/// texts call it `what`.
void add_quantity(CLI::App &app, const std::string &q, const std::string &what,
                  elastic::Records &r) {
  const auto flag = [&](const std::string &name, bool &wanted, const std::string &help) {
    app.add_flag("--" + q + name, wanted, help + what);
  };
  flag("_max", r.max, "Record the largest value over time at the sensor of ");
  flag("_min", r.min, "Record the smallest value over time at the sensor of ");
  flag("_rms", r.rms, "Record the root of the mean square over time at the sensor of ");
  flag("_max_all", r.max_all, "Record the largest value over time in all cells of ");
  flag("_min_all", r.min_all, "Record the smallest value over time in all cells of ");
  flag("_final", r.final, "Write at the end, in all cells, ");
}

void add_records(CLI::App &app, elastic::ElasticRecording &r, std::vector<std::string> &snapshots) {
  app.add_flag("-p,--p_raw", r.p.raw, "Record the pressure at the sensor in each step");
  app.add_flag("-u,--u_raw", r.u.raw,
               "Record velocities at the sensor in each step; the default where there is a sensor");
  add_quantity(app, "p", "the pressure", r.p);
  add_quantity(app, "u", "velocities", r.u);
  app.add_flag("--u_peak", r.u_peak, "Write the largest speed of all cells over time");
  app.add_option("--snapshot", snapshots, "Record velocities in a plane of cells: x=I, y=J or z=K")
      ->type_name("AXIS=INDEX");
  app.add_option("--snapshot_interval", r.snapshot_interval, "Time steps from one to the next")
      ->default_str("10, or all where there are fewer")
      ->check(tools::at_least(std::int64_t{1}));
  tools::add_choice(app, "--writer", r.writer,
                    std::map<std::string, io::WriteBy>{{"none", io::WriteBy::together},
                                                       {"thread", io::WriteBy::thread}},
                    "thread: a thread of each rank writes values at the sensor and snapshots while "
                    "the rank computes; none: all write together and wait")
      ->default_str("none");
}

void add_methods(CLI::App &app, Arguments &a) {
  const std::map<std::string, Exchange> exchanges{{"auto", Exchange::automatic},
                                                  {"each", Exchange::each},
                                                  {"wide", Exchange::wide},
                                                  {"least", Exchange::least}};
  const std::map<std::string, Order> orders{{"auto", Order::automatic},
                                            {"in_order", Order::in_order},
                                            {"all_at_once", Order::all_at_once}};
  const std::map<std::string, Surface> surfaces{
      {"none", Surface::none}, {"fs2", Surface::fs2}, {"fs4", Surface::fs4}};
  const std::map<std::string, io::Precision> precisions{{"single", io::Precision::single},
                                                        {"double", io::Precision::double_}};
  elastic::ElasticSimulationOptions &s = a.simulation;
  tools::add_choice(app, "--device", a.device,
                    std::map<std::string, Computes>{{"cpu", Computes::cpu}, {"gpu", Computes::gpu}},
                    "What computes: threads, or a GPU for each rank")
      ->default_str("cpu");
  app.add_option("-t,--threads", a.threads,
                 "Threads of each rank; the default shares the processors")
      ->check(tools::at_least(1));
  app.add_option("--grid", s.grid,
                 "Blocks along x, y and z, 2x2x1, or their sizes, 40+56x96x1; the default is the "
                 "cheapest for the network");
  tools::add_choice(app, "--exchange", a.exchange, exchanges,
                    "What neighbours exchange: velocities and stresses, two layers (each) or those "
                    "that are read (least); or four layers of velocities (wide)")
      ->default_str("auto: the fastest");
  tools::add_choice(app, "--order", a.order, orders,
                    "Messages along one axis after the other, or to all neighbours")
      ->default_str("auto");
  tools::add_choice(app, "--free_surface", a.surface, surfaces, "The side z = 0")
      ->default_str("that of the file, or fs2");
  tools::add_choice(app, "--precision", s.precision, precisions, "Of the fields")
      ->default_str("single");
}

void add_options(CLI::App &app, Arguments &a) {
  elastic::ElasticSimulationOptions &s = a.simulation;
  app.description("Elastic waves in three dimensions: velocity-stress finite differences of fourth "
                  "order on a staggered grid");
  app.set_version_flag("--version", tools::version_text(program));
  app.add_option("-i,--input", a.input, "HDF5 file with the model")->required();
  app.add_option("-o,--output", a.output, "HDF5 file to write; an existing one is replaced")
      ->required();
  add_methods(app, a);
  add_records(app, s.recording, a.snapshots);
  app.add_option("--steps,--benchmark", s.model.steps, "Time steps instead of those of the file")
      ->check(tools::at_least(std::int64_t{1}));
  app.add_flag("--allow_negative_lambda", s.model.allow_negative_lambda,
               "Accept media with vp < sqrt(2) vs");
  app.add_flag("--xdmf", s.xdmf, "Describe the output for ParaView and VisIt, beside it");
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
    for (const std::string &text : a.snapshots) {
      elastic::Plane plane;
      const std::size_t axis = text.empty() ? 3 : std::string("xyz").find(text[0]);
      if (axis > 2 || text.size() < 3 || text[1] != '=' ||
          !tools::detail::parse_number(text.substr(2), plane.index))
        throw CLI::ValidationError("--snapshot " + text + ": expected x=I, y=J or z=K");
      plane.axis = static_cast<int>(axis);
      s.recording.snapshots.push_back(plane);
    }
  });
}

/// Translates the command line into the library's options.
void settle(Arguments &a) {
  elastic::ElasticSimulationOptions &s = a.simulation;
  s.gpu = a.device == Computes::gpu;
  if (a.exchange != Exchange::automatic)
    s.exchange = a.exchange == Exchange::each   ? elastic::GhostExchange::each
                 : a.exchange == Exchange::wide ? elastic::GhostExchange::wide
                                                : elastic::GhostExchange::least;
  if (a.order != Order::automatic)
    s.schedule =
        a.order == Order::in_order ? grid::Schedule::in_order : grid::Schedule::all_at_once;
  if (a.surface != Surface::of_file)
    s.model.surface = a.surface == Surface::fs2   ? elastic::Surface::fs2
                      : a.surface == Surface::fs4 ? elastic::Surface::fs4
                                                  : elastic::Surface::none;
}

std::string with_unit(double value, const char *format) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void report_problem(SolverReport &report, const elastic::Problem &p, int ranks, int threads) {
  report.item("Grid (Nx x Ny x Nz):", std::to_string(p.cells[0]) + " x " +
                                          std::to_string(p.cells[1]) + " x " +
                                          std::to_string(p.cells[2]));
  report.item("Time steps:", std::to_string(p.steps));
  report.item("Time step:", with_unit(p.dt, "%g s"));
  report.item("Free surface:", p.surface == elastic::Surface::none  ? "none"
                               : p.surface == elastic::Surface::fs2 ? "fs2"
                                                                    : "fs4");
  report.item("Sponge (cells):", std::to_string(p.sponge.width));
  report.item("Attenuation:", !p.quality            ? "no"
                              : p.quality->in_cells ? "yes, of each cell"
                                                    : "yes");
  report.item("MPI ranks x threads:", std::to_string(ranks) + " x " + std::to_string(threads));
}

void report_profile(SolverReport &report, const elastic::ElasticSimulation::ElasticTimes &t,
                    double steps) {
  const auto in_step = [steps](double seconds) {
    return with_unit(1e3 * seconds / steps, "%.3f ms");
  };
  report.rule();
  report.item("Profile of a time step", "slowest rank");
  report.item("  velocity, with sponge:", in_step(t.profile.velocity));
  report.item("  stress, with Q and sponge:", in_step(t.profile.stress));
  report.item("  surface:", in_step(t.profile.surface));
  report.item("  sources:", in_step(t.profile.sources));
  report.item("  pack:", in_step(t.profile.pack));
  report.item("  wait:", in_step(t.profile.wait));
  report.item("  copies:", in_step(t.profile.copies));
  report.item("  exchange alone:", with_unit(1e3 * t.exchange_alone, "%.3f ms"));
  report.item("  sent by all ranks:",
              with_unit(t.bytes / 1e6, "%.3f MB, ") + with_unit(t.messages, "%.0f messages"));
  if (t.bytes > 0)
    report.item("  hidden share of exchanges:",
                with_unit(100 * std::max(0., 1 - t.exposed / steps / t.exchange_alone), "%.0f %%"));
}

int simulate(Arguments &a, const grid::Communicator &comm) {
  settle(a);
  SolverReport report(comm.rank() == 0);
  elastic::ElasticSimulationOptions &options = a.simulation;
  options.threads = a.threads > 0 ? a.threads : grid::default_threads(comm);
  options.checkpoint.stop_requested = tools::stop_requested;
  const std::string title = std::string(program) + " " + hfft_version();
  report.begin(title);
  std::unique_ptr<elastic::ElasticSimulation> simulation;
  report.phase("Reading simulation configuration", [&] {
    simulation = elastic::ElasticSimulation::open(a.input, a.output, options, comm);
  });
  report.phase(
      "Data loading and choice of the exchange", [&] { simulation->prepare(); },
      SolverReport::LineOutput::whole);
  const elastic::Problem &p = simulation->problem();
  report_problem(report, p, comm.size(), options.threads);
  report.text(simulation->plan());
  const std::int64_t first = simulation->first_step();
  if (first > 0) report.item("Going on after time step:", std::to_string(first));
  report.begin_progress(p.steps, a.progress, first);
  simulation->run([&](std::int64_t done) { report.progress(done); });
  report.rule();
  report.phase(
      "Writing the rest of the output", [&] { simulation->finish(title); },
      SolverReport::LineOutput::whole);
  for (const std::string &warning : simulation->warnings())
    if (comm.rank() == 0) tools::report_warning(program, warning);
  const elastic::ElasticSimulation::ElasticTimes t = simulation->times();
  const auto steps = static_cast<double>(simulation->steps_done() - first);
  const double points = static_cast<double>(p.cells[0]) * static_cast<double>(p.cells[1]) *
                        static_cast<double>(p.cells[2]);
  report.rule();
  report.item("Time per step:", with_unit(1e3 * t.simulating / steps, "%.3f ms"));
  report.item("Grid points per second:",
              with_unit(1e-6 * points * steps / t.simulating, "%.4g million"));
  report.item("GFlop/s:", with_unit(1e-9 * points * steps / t.simulating *
                                        elastic::Solver<float>::flops_of_point(p),
                                    "%.4g"));
  report.item("Simulation:", tools::duration(t.simulating));
  if (options.profile) report_profile(report, t, steps);
  report.end(simulation->steps_done() == p.steps
                 ? "End of computation"
                 : "Checkpoint after " + std::to_string(simulation->steps_done()) +
                       " time steps: start again to go on");
  return simulation->diverged() ? tools::status_diverged : 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("", program);
  add_options(app, arguments);
  return tools::run(argc, argv, app,
                    [&](auto ranks) { return simulate(arguments, grid::Communicator(ranks)); });
}
