// The two models of --basis auto. The error of a local basis is bounded from the spectrum of the
// input, the cuts and the absorption. The time of a step consists of FFTs, of work on the gaps at
// the ends of lines, and of messages; the time of FFTs grows with the gaps of blocks. The constants
// of the time are fitted to the measured steps of tests/kspace/basis_time_test.cpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "hybridfft/grid/cartesian.hpp"
#include "solvers/kspace/operators/basis_choice.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/lfb/basis.h"

namespace hybridfft::kspace {

namespace {

using grid::Index;
using grid::Index3;

/// Decay length of the error below the Nyquist wave number, in rad per point: it falls by a factor
/// e over this distance.
constexpr double nyquist_decay = 0.1;
/// Error added by each further cut on the way of a wave, relative to the error of the first cut.
constexpr double crossing = 0.55;
/// Safety factor. Errors of random inputs are up to twice the fitted bound, mostly errors of the
/// velocity.
constexpr double margin = 2.5;
/// A jump of the absorption adds to the error within this distance from a cut, in points.
constexpr Index step_reach = 8;
/// Errors per unit of absorption: of the coarse grid for the far field, and of a jump at a cut.
constexpr double coarse_level_error = 1.5e-4, absorption_step_error = 2e-3;
/// Factor of the error of point sources if each has its own signal.
constexpr double independence = 4;
/// Assumed pressure gain of focused sources.
constexpr double focusing = 10;

/// Returns the number of cuts crossed by a wave. Without a PML, waves leave at one end of the grid
/// and re-enter at the other.
double crossings(const InputFeatures &input, const Parameters &p, const Index3 &parts) {
  double all = 0;
  for (int axis = 0; axis < p.dimensions(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    const auto blocks = static_cast<double>(parts[place(axis, p.dimensions())]);
    if (blocks == 1) continue;
    const double length = static_cast<double>(p.n[a]) * p.spacing[a];
    const double path = input.max_speed * p.dt * static_cast<double>(p.steps);
    const bool absorbing = p.pml_size[a] > 0 && p.pml_alpha[a] > 0;
    all += blocks * (absorbing ? 1 : std::max(1.0, path / length));
  }
  return all;
}

/// Largest jump of the absorption near a cut, for an axis divided evenly into blocks.
double step_at_cuts(const std::vector<double> &steps, Index blocks) {
  const auto n = static_cast<Index>(steps.size());
  if (blocks == 1 || n == 0) return 0;
  double largest = 0;
  Index at = 0;
  for (const Index block : grid::even_sizes(n, blocks)) {
    for (Index d = -step_reach; d < step_reach; ++d)
      largest = std::max(largest, steps[static_cast<std::size_t>((at + d + n) % n)]);
    at += block;
  }
  return largest;
}

} // namespace

const std::array<OfferedBasis, offered_bases> &bases_on_offer() {
  static constexpr std::array<OfferedBasis, offered_bases> all{
      {{"mom:8/64", "mom:4/16", 0.088, 1.5e-8, 1.9, 5e-8, 2e-6, 4e-5},
       {"mom:6/32", "mom:4/16", 0.295, 1.25e-8, 2.7, 1.2e-7, 8e-6, 1e-4},
       {"ls:24", "ls:8", 0.27, 3e-8, 3.34, 2.5e-7, 1e-5, 1.2e-4},
       {"ls:16", "ls:8", 0.41, 1.2e-7, 3.37, 1e-6, 2e-5, 2e-4},
       {"ls:12", "ls:8", 0.44, 2.3e-7, 3.52, 3e-6, 4e-5, 6e-4},
       {"ls:8", "ls:8", 0.53, 1.4e-6, 3.43, 1.5e-5, 5e-5, 1.2e-3}}};
  return all;
}

double wave_error(const OfferedBasis &basis, double k) {
  const double below = std::numbers::pi - std::min(k, std::numbers::pi);
  return basis.nyquist * std::exp(-below / nyquist_decay) +
         basis.short_wave * std::exp(basis.growth * (std::numbers::pi - below)) + basis.smooth;
}

double error_bound(const InputFeatures &input, const Parameters &parameters, std::size_t basis,
                   const Index3 &parts) {
  const OfferedBasis &b = bases_on_offer()[basis];
  double initial = 0, step = 0;
  for (int a = 0; a < 3; ++a) {
    const auto at = static_cast<std::size_t>(a);
    if (parts[a] > 1) initial = std::max(initial, input.initial[at][basis]);
    step = std::max(step, step_at_cuts(input.absorption_steps[at], parts[a]));
  }
  double sum = initial + input.signals[basis] + b.contrast * input.contrast;
  if (input.sources) sum += b.point_source * (input.independent_sources ? independence : 1);
  // A shock has the spectrum of a jump. Only harmonics from the third order on reach the Nyquist
  // wave number.
  const double shock =
      std::min(1.0, input.steepening * (input.sources ? focusing : 1)); // 1 for a full jump
  sum += shock * shock * b.nyquist * nyquist_decay / std::numbers::pi;
  if (parameters.absorption == Absorption::power_law) sum += coarse_level_error * input.absorption;
  sum += absorption_step_error * step;
  const double growth = 1 + crossing * std::max(0.0, crossings(input, parameters, parts) - 1);
  return margin * growth * sum + input.rounding;
}

namespace {

using grid::Index3;

/// Fraction of a step's computation spent on planes; the rest processes lines along array axis 0.
constexpr double planes_share = 0.7;
/// Fraction of the work on planes that grows with the gap of a block along array axis 0, 1 or 2. A
/// gap along axis 0 adds planes to four of a step's ten transforms, the forward transforms of the
/// operands. A gap along axis 1 also makes all columns longer, and a gap along axis 2 makes all
/// rows of all planes longer.
constexpr std::array<double, 3> growing_part{0.4, 0.7, 1};
/// Work that packs points at the ends of a line for neighbours and fills the gap, relative to the
/// work of a step per point: per multiplication by a continuation coefficient, per gap point of a
/// bell (see lfb::Basis), and per line along axis 0, 1 or 2. Lines along axis 2 are copied to
/// longer rows.
constexpr double product_work = 0.0019, bell_work = 0.04;
constexpr std::array<double, 3> line_work{0, 0, 30};
/// hiding: fraction of the computation that overlaps with exchanges; hidden: largest fraction of an
/// exchange that overlaps with computation. The exchange of a field overlaps only with work on
/// other fields.
constexpr double hiding = 0.1, hidden = 0.7;

/// Work to extend one line of one field.
double work_of(const lfb::Basis &basis) {
  const auto gap = static_cast<double>(basis.gap());
  if (basis.kind() != lfb::Basis::GapRule::continuation) return bell_work * gap;
  const auto numbers = static_cast<double>(basis.numbers());
  const double moments = 2 * numbers * static_cast<double>(basis.overlap());
  return product_work * (moments + gap * 2 * (static_cast<double>(basis.own()) + numbers));
}

} // namespace

double RankPerformance::neighbours(double messages, double bytes) const {
  if (!one_node) return network_seconds(machine, ranks_per_node, {bytes, 0, messages, 1});
  return network_seconds(machine, ranks_per_node, {0, messages, 0, 1}) +
         2 * bytes * ranks_per_node / machine.node_bandwidth;
}

double StepModel::global() const {
  const double points = static_cast<double>(extents[0] * extents[1] * extents[2]) / ranks;
  const double wire = all_to_all_seconds(rank.machine, {threads, rank.ranks_per_node}, ranks,
                                         sizeof(float) * points, 1);
  return std::max(points * per_point(), transforms_of_step * wire);
}

// Axes are extended one after another, so lines along an axis include the points added along
// earlier axes.
double StepModel::local(std::size_t basis, const Index3 &parts) const {
  const OfferedBasis &offer = bases_on_offer()[basis];
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
  double period = core, planes = core, filled = 0, exchanged = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    if (parts[static_cast<int>(a)] == 1) continue;
    const double lines = period / block[a];
    filled += lines * (2 * work_of(along) + (dimensions - 1) * work_of(across) + line_work[a]);
    exchanged += rank.neighbours((dimensions + 1) * 2, 2 * numbers * lines * sizeof(float));
    period *= 1 + gap / block[a];
    planes *= 1 + growing_part[a] * gap / block[a];
  }
  if (power_law) exchanged *= 1.5;
  const double compute =
      per_point() * (planes_share * planes + (1 - planes_share) * period + filled);
  return compute + std::max(exchanged - hiding * compute, (1 - hidden) * exchanged);
}

} // namespace hybridfft::kspace
