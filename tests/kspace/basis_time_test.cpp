// The times of steps that --basis auto expects, against recorded steps (bench/results/lfb.md). Blocks
// are cut along x, y, z and combinations of them. Nothing is measured here.
#include "solvers/kspace/operators/basis_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "solvers/kspace/operators/basis_choice.h"

namespace hybridfft::kspace {
namespace {

using grid::Index3;

/// Largest ratio of expected and recorded time, either way.
constexpr double factor = 1.25;

/// A recorded step in blocks of the default basis, mom:6/32 across mom:4/16.
struct Step {
  Index3 parts; ///< blocks along array axes: z, y, x
  double milliseconds;
};

/// Steps on one machine, each rank with one block.
struct Machine {
  std::string name;
  Index3 extents;
  double ranks, ranks_per_node;
  double link;   ///< bytes/s of a node's network card; 0 for a single node
  double alone;  ///< ms of a step in the global basis with as many ranks on a single node
  double global; ///< ms of a step in the global basis
  std::vector<Step> steps;
};

const std::vector<Machine> &recorded() {
  static const std::vector<Machine> machines{
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
  const auto *const offer = std::find_if(
      bases_on_offer().begin(), bases_on_offer().end(),
      [](const OfferedBasis &basis) { return std::string(basis.overlap) == "mom:6/32"; });
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
