// Compares the times of steps that --basis auto expects with recorded times (bench/results/lfb.md).
// Blocks are cut along x, y, z and combinations of them. Nothing is measured here.
#include "solvers/kspace/operators/basis_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace hybridfft::kspace {
namespace {

using grid::Index3;

/// Largest ratio of expected and recorded time, either way.
constexpr double factor = 1.3;

/// A recorded step in blocks of the default basis: mom:6/32, and mom:4/16 for velocity components
/// across their own direction.
struct Step {
  Index3 parts; ///< blocks along array axes: z, y, x
  double milliseconds;
};

/// Steps on one machine, each rank with one block.
struct Machine {
  std::string name;
  Index3 extents;
  double ranks, ranks_per_node;
  double link;   ///< bandwidth of a host in the global basis's exchanges, bytes/s; 0: one host
  double alone;  ///< ms of a step in the global basis with as many ranks on a single host
  double global; ///< ms of a step in the global basis
  std::vector<Step> steps;
};

const std::vector<Machine> &recorded() {
  static const std::vector<Machine> machines{
      {"one host",
       {{128, 128, 128}},
       2,
       2,
       0,
       21.5,
       21.5,
       {{{{2, 1, 1}}, 30.3}, {{{1, 2, 1}}, 38.0}, {{{1, 1, 2}}, 41.9}}},
      {"one host",
       {{256, 128, 128}},
       4,
       4,
       0,
       41.8,
       41.8,
       {{{{4, 1, 1}}, 62.2},
        {{{1, 4, 1}}, 95.9},
        {{{1, 1, 4}}, 155.5},
        {{{2, 2, 1}}, 78.2},
        {{{2, 1, 2}}, 95.3},
        {{{1, 2, 2}}, 133.3}}},
      {"4 hosts, 1 Gbit/s",
       {{256, 128, 128}},
       4,
       1,
       125e6,
       41.8,
       245.6,
       {{{{4, 1, 1}}, 81.1},
        {{{1, 4, 1}}, 136.4},
        {{{1, 1, 4}}, 198.5},
        {{{2, 2, 1}}, 135.9},
        {{{2, 1, 2}}, 134.4},
        {{{1, 2, 2}}, 176.2}}},
      {"4 hosts, 10 Gbit/s",
       {{256, 128, 128}},
       4,
       1,
       280e6,
       41.8,
       123.3,
       {{{{4, 1, 1}}, 73.4},
        {{{1, 4, 1}}, 101.9},
        {{{1, 1, 4}}, 179.8},
        {{{2, 2, 1}}, 96.4},
        {{{2, 1, 2}}, 114.4},
        {{{1, 2, 2}}, 136.3}}},
  };
  return machines;
}

StepModel model_of(const Machine &m) {
  StepModel model;
  model.extents = m.extents;
  model.ranks = m.ranks;
  const double points = static_cast<double>(m.extents[0] * m.extents[1] * m.extents[2]) / m.ranks;
  model.rank.per_point = 1e-3 * m.alone / points / (transforms_of_step / 2 * equations_factor);
  model.rank.ranks_per_node = m.ranks_per_node;
  model.rank.one_node = m.link == 0;
  if (m.link > 0) model.rank.machine.network_bandwidth = m.link;
  return model;
}

void expect_near(double expected, double found, const std::string &what) {
  EXPECT_LT(std::max(expected / found, found / expected), factor)
      << what << ": " << expected << " ms expected, " << found << " ms recorded";
}

TEST(StepModel, RecordedSteps_AreExpectedWithinTheFactor) {
  const auto *const offer =
      std::find_if(bases_on_offer().begin(), bases_on_offer().end(), [](const OfferedBasis &basis) {
        return std::string(basis.overlap) == "mom:6/32";
      });
  ASSERT_NE(offer, bases_on_offer().end());
  const auto basis = static_cast<std::size_t>(offer - bases_on_offer().begin());
  for (const Machine &machine : recorded()) {
    const StepModel model = model_of(machine);
    expect_near(1e3 * model.global(), machine.global, machine.name + ", global");
    for (const auto &[parts, milliseconds] : machine.steps)
      expect_near(1e3 * model.local(basis, parts), milliseconds,
                  machine.name + ", blocks (z y x) " + std::to_string(parts[0]) + " " +
                      std::to_string(parts[1]) + " " + std::to_string(parts[2]));
  }
}

} // namespace
} // namespace hybridfft::kspace
