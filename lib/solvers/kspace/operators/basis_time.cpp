// A step consists of FFTs, of work on the gaps at the ends of lines, and of messages. The time of
// FFTs grows with the gaps of blocks. The constants are fitted to the measured steps of
// tests/kspace/basis_time_test.cpp.
#include "solvers/kspace/operators/basis_time.h"

#include <algorithm>
#include <array>
#include <limits>

#include "solvers/kspace/operators/basis_choice.h"
#include "solvers/lfb/basis.h"

namespace hybridfft::kspace {

namespace {

using grid::Index3;

/// Fraction of a step's computation spent on planes; the rest processes lines along array axis 0.
constexpr double planes_share = 0.7;
/// Part of the work on planes growing with the gap of a block along array axis 0, 1 or 2. A gap
/// along axis 0 adds planes to the four operands of a step's ten transforms. A gap along axis 1
/// also makes all columns longer, and a gap along axis 2 all rows of all planes.
constexpr std::array<double, 3> growing_part{0.4, 0.7, 1};
/// Work on the ends of a line, relative to the work of a step per point: per multiplication by a
/// continuation coefficient, per point of a bell, and per line along axis 0, 1 or 2. It packs
/// points for neighbours and fills the gap. Rows are copied to longer ones.
constexpr double product_work = 0.0019, bell_work = 0.04;
constexpr std::array<double, 3> line_work{0, 0, 30};
/// Fraction of the computation overlapped with exchanges, and the largest hidden fraction of an
/// exchange. The exchange of a field overlaps only with work on other fields.
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
