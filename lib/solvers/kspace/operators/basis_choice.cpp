#include "solvers/kspace/operators/basis_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "base/machine_parameters.h"
#include "base/mpi.h"
#include "hybridfft/grid/choice.hpp"
#include "hybridfft/operators.hpp"
#include "solvers/kspace/base/errors.h"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/operators/decomposition.h"

namespace hybridfft::kspace {

namespace {

using grid::Index;
using grid::Index3;

/// Relative difference in time below which bases count as equally fast.
constexpr double tie = 0.05;

/// Points per axis of the grid whose FFTs are timed.
constexpr std::ptrdiff_t measured_extent = 64;

/// Times FFTs on this rank; returns the seconds per point of a forward and a backward transform.
double seconds_of_transforms(int threads) {
  constexpr std::ptrdiff_t n = measured_extent;
  OperatorPlan<float> plan({n, n, n}, 1, MPI_COMM_SELF, threads);
  const int field = 0;
  const OperatorPlan<float>::Source source{0, nullptr, nullptr};
  const OperatorPlan<float>::Product product{0, {{0, nullptr, nullptr}}};
  const double least = least_seconds_of([&] {
    plan.planes({}, {&field, 1}, [](const OperatorPlan<float>::Line &line) {
      std::fill_n(line.scratch[0], n, 0.0F);
    });
    plan.lines({&product, 1});
    plan.planes({&source, 1}, {}, [](const OperatorPlan<float>::Line &) {});
  });
  return least / static_cast<double>(n * n * n);
}

/// Derives one rank's performance from a machine's parameters. Models a transform as two passes
/// over the points, each with half of the flops.
RankPerformance performance_of(const MachineParameters &machine, double points, int threads,
                               double ranks_per_node, bool one_node) {
  const double flops = 5 * std::log2(points) / 4; // flops per real number in one pass
  const double pass =
      pass_seconds(machine, {static_cast<double>(threads), ranks_per_node}, sizeof(float), flops);
  return {machine, ranks_per_node, one_node, 2 * 2 * pass};
}

/// Returns one rank's performance from measured latency, bandwidth and transform time.
RankPerformance measured_performance(const grid::Network &network, double per_point,
                                     double ranks_per_node, bool one_node) {
  MachineParameters machine;
  machine.message_overhead = 0; // included in the measured latency
  machine.near_latency = machine.far_latency = network.latency;
  machine.network_bandwidth = ranks_per_node / network.per_byte;
  if (one_node) {
    machine.node_bandwidth = 2 * ranks_per_node / network.per_byte;
    machine.core_bandwidth = machine.node_bandwidth;
  }
  return {machine, ranks_per_node, one_node, per_point};
}

/// Returns the seconds per point of a forward and a backward transform on the slowest rank.
/// Estimates them from default parameters if some rank's processor lacks kernels for the test.
/// Collective.
double found_per_point(double points, int threads, double ranks_per_node,
                       const grid::Communicator &comm) {
  constexpr std::ptrdiff_t n = measured_extent;
  const bool mine = OperatorPlan<float>::supports({n, n, n});
  if (comm.max(std::int64_t{mine ? 0 : 1}) != 0)
    return performance_of(MachineParameters{}, points, threads, ranks_per_node, false).per_point;
  double seconds = 0;
  comm.agree([&] { seconds = seconds_of_transforms(threads); });
  return comm.max(seconds);
}

/// Returns one rank's performance from the machine file HFFT_MACHINE of rank 0, if set, else from
/// measurements. Collective. Throws Failure on all ranks alike.
RankPerformance find_performance(double points, int threads, const grid::Communicator &comm) {
  MachineParameters machine;
  std::int64_t given = 0;
  mpi::all_or_none(comm.handle(),
                   [&] {
                     if (comm.rank() != 0) return;
                     machine = machine_of_environment();
                     given = machine_file().empty() ? 0 : 1;
                   },
                   {&given, 1});
  const double per_node = comm.max(comm.sum_of_machine(1));
  const bool one_node = per_node >= comm.size();
  if (given != 0) {
    mpi::check(MPI_Bcast(&machine, sizeof(machine), MPI_BYTE, 0, comm.handle()), "MPI_Bcast");
    return performance_of(machine, points, threads, per_node, one_node);
  }
  const grid::Network network = grid::measure(comm);
  return measured_performance(network, found_per_point(points, threads, per_node, comm), per_node,
                              one_node);
}

/// A basis and a division into blocks. Its error is unknown until the input has been read.
struct Candidate {
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t basis = 0;
  Index3 parts;
  double error = std::numeric_limits<double>::quiet_NaN();
};

std::string number(const char *format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string summary(const Candidate &c, int dimensions) {
  std::string text = std::string(bases_on_offer()[c.basis].overlap) + " in " +
                     in_users_order(c.parts, dimensions) + " blocks " +
                     number("%.3g ms", 1e3 * c.seconds);
  if (!std::isnan(c.error)) text += ", error at most " + number("%.1e", c.error);
  return text;
}

/// Returns the first option that sets blocks, and its value; empty if the user sets none.
std::string given_option(const BasisOptions &options) {
  for (const auto &[name, value] :
       {std::pair("--grid", &options.grid), std::pair("--overlap", &options.overlap),
        std::pair("--transverse", &options.transverse),
        std::pair("--local_size", &options.local_size)})
    if (!value->empty()) return std::string(name) + " is '" + *value + "'";
  return {};
}

BasisChoice global_because(const std::string &why) {
  BasisChoice choice;
  choice.reason = "global: " + why;
  return choice;
}

/// Returns all bases with all divisions into blocks, the fastest first.
std::vector<Candidate> candidates(const StepModel &model, const grid::Communicator &comm) {
  std::vector<Candidate> all;
  for (std::size_t basis = 0; basis < offered_bases; ++basis)
    for (const Index3 &parts : grid::possible_parts(comm.size(), model.extents)) {
      const double seconds = comm.max(model.local(basis, parts));
      if (std::isfinite(seconds)) all.push_back({seconds, basis, parts});
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate &a, const Candidate &b) { return a.seconds < b.seconds; });
  return all;
}

/// Summarises the fastest candidate of each basis that was not chosen.
std::string others_of(const std::vector<Candidate> &all, const Candidate *chosen, int dimensions) {
  std::array<bool, offered_bases> listed{};
  if (chosen != nullptr) listed[chosen->basis] = true;
  std::string text;
  for (const Candidate &c : all) {
    if (listed[c.basis]) continue;
    listed[c.basis] = true;
    text += "; " + summary(c, dimensions);
  }
  return text;
}

/// Returns the fastest candidate that is accurate enough. Among those within `tie` of its time, it
/// returns the most accurate.
const Candidate *choose_from(const std::vector<Candidate> &all, double accuracy) {
  const Candidate *best = nullptr;
  double least = 0;
  for (const Candidate &c : all) {
    if (c.error > accuracy) continue;
    if (best == nullptr) least = c.seconds;
    if (c.seconds > (1 + tie) * least) break;
    if (best == nullptr || c.error < best->error) best = &c;
  }
  return best;
}

} // namespace

BasisChoice choose_basis(const BasisOptions &options, const Parameters &p, int threads,
                         const grid::Communicator &comm,
                         const std::function<InputFeatures()> &read_features) {
  if (const std::string given = given_option(options); !given.empty())
    throw InputError(given + ", and --basis is auto, which chooses it, expected --basis local");
  if (p.axisymmetric || p.nonuniform_grid)
    return global_because(p.axisymmetric ? "the grid is axisymmetric" : "the grid is not uniform");
  if (comm.size() == 1) return global_because("there is one rank, so nothing to exchange");
  const Index3 extents = array_extents(p.n);
  const RankPerformance rank =
      find_performance(static_cast<double>(extents[0] * extents[1] * extents[2]), threads, comm);
  const StepModel model{extents,
                        p.dimensions(),
                        static_cast<double>(comm.size()),
                        static_cast<double>(threads),
                        rank,
                        p.absorption == Absorption::power_law};
  const double global = model.global();
  std::vector<Candidate> all = candidates(model, comm);
  const std::string of_global = "global " + number("%.3g ms", 1e3 * global);
  if (all.empty())
    return global_because("no block has the points that a local basis needs (" + of_global + ")");
  if (all.front().seconds >= global)
    return global_because(number("%.3g ms", 1e3 * global) + " a step expected" +
                          others_of(all, nullptr, model.dimensions));
  const InputFeatures input = read_features();
  for (Candidate &c : all)
    c.error = error_bound(input, p, c.basis, c.parts);
  const double accuracy = options.accuracy.value_or(1e-4);
  const Candidate *const best = choose_from(all, accuracy);
  if (best == nullptr)
    return global_because("no local basis is known to be within --accuracy " +
                          number("%g", accuracy) + " (" + of_global +
                          others_of(all, nullptr, model.dimensions) + ")");
  const std::string others = others_of(all, best, model.dimensions);
  if (best->seconds >= global)
    return global_because(number("%.3g ms", 1e3 * global) + " a step expected; " +
                          summary(*best, model.dimensions) + others);
  BasisChoice choice;
  choice.options = options;
  choice.options.kind = BasisOptions::Selection::local;
  choice.options.grid = in_users_order(best->parts, model.dimensions);
  choice.options.overlap = bases_on_offer()[best->basis].overlap;
  choice.options.transverse = bases_on_offer()[best->basis].transverse;
  choice.options.chosen = true;
  choice.reason = "local, " + summary(*best, model.dimensions) + " expected; " + of_global + others;
  return choice;
}

BasisChoice choose_basis_on_devices(const BasisOptions &options, const grid::Communicator &comm) {
  if (options.accuracy)
    throw InputError("--accuracy is " + number("%g", *options.accuracy) +
                     ", and --device is gpu, where --basis auto does not choose by it, expected "
                     "none, or --device cpu");
  const std::string given = given_option(options);
  if (comm.size() == 1 && given.empty()) return global_because("one GPU has the whole grid");
  BasisChoice choice{options, "local: " + (given.empty() ? "GPUs exchange faces" : given)};
  choice.options.kind = BasisOptions::Selection::local;
  return choice;
}

} // namespace hybridfft::kspace
