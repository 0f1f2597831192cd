#include "solvers/kspace/operators/basis_choice.h"

#include <algorithm>
#include <array>
#include <chrono>
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
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/lfb/basis.h"

namespace hybridfft::kspace {

namespace {

using grid::Index;
using grid::Index3;

/// Number of FFTs in a time step with the global basis; each needs one exchange.
constexpr double transforms = 10;
/// Fraction of a step's computation spent on planes, and the part of it spent on operands of
/// transforms. In a local basis, blocks are extended by gap points; only the work on the four
/// operands grows with them. The rest of a step processes lines.
constexpr double planes_share = 0.7, operand_share = 0.4;
/// Additional work per block point, relative to a step, if array axis 0, 1 or 2 is divided into
/// blocks. Planes and rows are then copied to the extended block, rows with strides.
constexpr std::array<double, 3> copy_share{0, 0.05, 0.35};
/// Work on the ends of a line, relative to the work of a step per point: per multiplication by a
/// continuation coefficient, per point of a bell, and per line along axis 0, 1 or 2. It packs
/// points for neighbours and fills the gap.
constexpr double product_work = 0.0019, bell_work = 0.04;
constexpr std::array<double, 3> line_work{0, 0, 6};
/// Fraction of the computation that overlaps with exchanges, and the largest fraction of an
/// exchange that can be hidden. The exchange of a field overlaps only with work on other fields.
constexpr double hiding = 0.3, hidden = 0.7;
/// Relative difference in time below which bases count as equally fast.
constexpr double tie = 0.05;

/// Points per axis of the grid whose FFTs are timed.
constexpr std::ptrdiff_t measured_extent = 64;

/// Times FFTs on this rank; returns the seconds per point of a forward and a backward transform.
double seconds_of_transforms(int threads) {
  constexpr std::ptrdiff_t n = measured_extent;
  constexpr int rounds = 3;
  OperatorPlan<float> plan({n, n, n}, 1, MPI_COMM_SELF, threads);
  const int field = 0;
  const OperatorPlan<float>::Source source{0, nullptr, nullptr};
  const OperatorPlan<float>::Product product{0, {{0, nullptr, nullptr}}};
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    plan.planes({}, {&field, 1}, [](const OperatorPlan<float>::Line &line) {
      std::fill_n(line.scratch[0], n, 0.0F);
    });
    plan.lines({&product, 1});
    plan.planes({&source, 1}, {}, [](const OperatorPlan<float>::Line &) {});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    if (round > 0) least = std::min(least, elapsed.count());
  }
  return least / static_cast<double>(n * n * n);
}

/// Performance of the machine for one rank while all ranks compute and communicate.
struct Share {
  MachineParameters machine;
  double ranks_per_node = 1;
  bool one_node = false;
  double per_point = 0; ///< seconds per point of a forward and a backward transform on a rank

  /// Returns the seconds of messages sent to neighbours one after another.
  double neighbours(double messages, double bytes) const {
    if (!one_node) return network_seconds(machine, ranks_per_node, {bytes, 0, messages, 1});
    return network_seconds(machine, ranks_per_node, {0, messages, 0, 1}) +
           2 * bytes * ranks_per_node / machine.node_bandwidth;
  }
};

/// Derives one rank's performance from a machine's parameters. Models a transform as two passes
/// over the points, each with half of the flops.
Share share_of(const MachineParameters &machine, double points, int threads, double ranks_per_node,
               bool one_node) {
  const double flops = 5 * std::log2(points) / 4; // flops per real number in one pass
  const double pass =
      pass_seconds(machine, {static_cast<double>(threads), ranks_per_node}, sizeof(float), flops);
  return {machine, ranks_per_node, one_node, 2 * 2 * pass};
}

/// Returns one rank's performance from measured latency, bandwidth and transform time.
Share measured_share(const grid::Network &network, double per_point, double ranks_per_node,
                     bool one_node) {
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
    return share_of(MachineParameters{}, points, threads, ranks_per_node, false).per_point;
  double seconds = 0;
  comm.agree([&] { seconds = seconds_of_transforms(threads); });
  return comm.max(seconds);
}

/// Returns one rank's performance from the machine file HFFT_MACHINE of rank 0, if set, else from
/// measurements. Collective. Throws Failure on all ranks alike.
Share find_share(double points, int threads, const grid::Communicator &comm) {
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
    return share_of(machine, points, threads, per_node, one_node);
  }
  const grid::Network network = grid::measure(comm);
  return measured_share(network, found_per_point(points, threads, per_node, comm), per_node,
                        one_node);
}

/// Predicts the time of a step in the global basis and in local bases.
struct Model {
  Index3 extents;
  int dimensions;
  double ranks;
  double threads; ///< per rank
  Share share;
  double per_point; ///< seconds per point of a step in the global basis
  bool power_law;

  double global() const {
    const double points = static_cast<double>(extents[0] * extents[1] * extents[2]) / ranks;
    const double wire = all_to_all_seconds(share.machine, {threads, share.ranks_per_node}, ranks,
                                           sizeof(float) * points, 1);
    return std::max(points * per_point, transforms * wire);
  }

  /// Returns the seconds of a step with `parts` blocks, or infinity if the blocks are too small for
  /// the basis. Axes are extended one after another, so lines along an axis include the points
  /// added along earlier axes.
  double local(const OfferedBasis &offer, const Index3 &parts) const {
    const lfb::Basis along = lfb::Basis::read(offer.overlap);
    const lfb::Basis across = lfb::Basis::read(offer.transverse);
    const auto gap = static_cast<double>(along.gap());
    // Along an axis, the pressure and one velocity component use the basis `along`. The other
    // velocity components use `across`.
    const auto numbers =
        static_cast<double>(2 * along.numbers() + (dimensions - 1) * across.numbers());
    std::array<double, 3> block{};
    for (int a = 0; a < 3; ++a) {
      if (parts[a] > 1 && extents[a] / parts[a] < std::max(along.min_block(), across.min_block()))
        return std::numeric_limits<double>::infinity();
      const std::ptrdiff_t largest = (extents[a] + parts[a] - 1) / parts[a];
      block[static_cast<std::size_t>(a)] = static_cast<double>(largest);
    }
    const double core = block[0] * block[1] * block[2];
    double period = core, copied = 0, filled = 0, exchanged = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (parts[static_cast<int>(a)] == 1) continue;
      const double lines = period / block[a];
      copied += core * copy_share[a];
      filled += lines * (2 * work_of(along) + (dimensions - 1) * work_of(across) + line_work[a]);
      exchanged += share.neighbours((dimensions + 1) * 2, 2 * numbers * lines * sizeof(float));
      period *= (block[a] + gap) / block[a];
    }
    if (power_law) exchanged *= 1.5;
    const double compute =
        per_point * (core * planes_share * (1 - operand_share) +
                     period * (planes_share * operand_share + 1 - planes_share) + copied + filled);
    return compute + std::max(exchanged - hiding * compute, (1 - hidden) * exchanged);
  }

private:
  /// Work to extend one line of one field.
  static double work_of(const lfb::Basis &basis) {
    const auto gap = static_cast<double>(basis.gap());
    if (basis.kind() != lfb::Basis::GapRule::continuation) return bell_work * gap;
    const auto numbers = static_cast<double>(basis.numbers());
    const double moments = 2 * numbers * static_cast<double>(basis.overlap());
    return product_work * (moments + gap * 2 * (static_cast<double>(basis.own()) + numbers));
  }
};

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
std::vector<Candidate> candidates(const Model &model, const grid::Communicator &comm) {
  std::vector<Candidate> all;
  for (std::size_t basis = 0; basis < offered_bases; ++basis)
    for (const Index3 &parts : grid::possible_parts(comm.size(), model.extents)) {
      const double seconds = comm.max(model.local(bases_on_offer()[basis], parts));
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
  const Share share =
      find_share(static_cast<double>(extents[0] * extents[1] * extents[2]), threads, comm);
  // Ten transforms of a step are five pairs. The equations are assumed to take as long again.
  const Model model{extents,
                    p.dimensions(),
                    static_cast<double>(comm.size()),
                    static_cast<double>(threads),
                    share,
                    share.per_point * transforms / 2 * 1.3,
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
