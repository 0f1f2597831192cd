// Every kind of physics, source and recorded quantity on small grids, compared with an independent
// solver in double precision. make_references.py generated tests/data/kwave/small.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kspace/run_simulation.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;

// Single precision rounds each field by half an epsilon (6e-8), and each transform of some thousand
// points by a similar amount, about ten times per step. The errors of up to 40 steps add up to at
// most 2.4e-5 with equal signs, and to 4e-6 as a random walk. k-Wave's own solver has errors of
// 6e-6 after 100 to 300 steps. The tolerance is 2e-5.
constexpr double tolerance = 2e-5;

struct Small {
  std::string input;
  std::string truth;
  std::int64_t start = 1;
  int threads = 1;
};

/// Returns the field whose maximum is the scale of a quantity's errors: one for all pressures, one
/// for each velocity component.
std::string scale_of(const std::string &quantity) {
  return quantity.substr(0, quantity.find_first_of("_/"));
}

class SmallReferenceTest : public ::testing::TestWithParam<Small> {};

TEST_P(SmallReferenceTest, AllCases_MatchDoublePrecision) {
  const Small &c = GetParam();
  const std::string data = std::string(HFFT_KWAVE_DATA) + "/small/";
  const test::ScratchDirectory scratch(test::world());
  kspace::SimulationOptions options = test::record_all();
  options.recording.start = c.start;
  options.threads = c.threads;
  // Files of version 1.0 cannot record non-staggered velocities.
  const bool shifted = c.input != "version_10";
  options.recording.u_non_staggered_raw = shifted;
  const std::string output = scratch.file("output.h5");
  test::simulate(data + c.input + "_input.h5", output, options, test::world());

  const io::File truth = io::File::open(data + c.truth + "_truth.h5", test::world());
  const io::File found = io::File::open(output, test::world());
  std::map<std::string, std::vector<float>> expected;
  std::map<std::string, double> scale;
  for (const std::string &quantity : test::quantities()) {
    const bool asked = shifted || quantity.find("non_staggered") == std::string::npos;
    if (!truth.exists(quantity) || !asked) {
      EXPECT_FALSE(found.exists(quantity)) << quantity << " is not to be there";
      continue;
    }
    EXPECT_EQ(found.info(quantity).shape, truth.info(quantity).shape) << quantity;
    expected[quantity] = truth.read_all<float>(quantity);
    for (const float v : expected[quantity])
      scale[scale_of(quantity)] =
          std::max(scale[scale_of(quantity)], std::abs(static_cast<double>(v)));
  }
  ASSERT_GE(expected.size(), shifted ? 14U : 11U);
  for (const auto &[quantity, values] : expected) {
    const std::vector<float> ours = found.read_all<float>(quantity);
    ASSERT_EQ(ours.size(), values.size()) << quantity;
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_TRUE(std::isfinite(ours[i])) << quantity << " at " << i;
      worst =
          std::max(worst, std::abs(static_cast<double>(ours[i]) - static_cast<double>(values[i])));
    }
    EXPECT_LE(worst / scale.at(scale_of(quantity)), tolerance) << quantity;
  }
}

INSTANTIATE_TEST_SUITE_P(
    KWave, SmallReferenceTest,
    ::testing::Values(Small{"flat_all_arrays", "flat_all_arrays"},
                      Small{"flat_corrected_velocity_stokes", "flat_corrected_velocity_stokes", 7},
                      Small{"flat_nonuniform", "flat_nonuniform", 1, 2},
                      Small{"odd_sizes", "odd_sizes", 12}, Small{"transducer", "transducer"},
                      Small{"uniform_absorbing", "uniform_absorbing", 1, 2},
                      Small{"nonuniform_arrays", "nonuniform_arrays"},
                      Small{"version_11", "version_11"}, Small{"version_10", "version_11"},
                      Small{"axis_lossless", "axis_lossless", 1, 2},
                      Small{"axis_stokes_nonlinear", "axis_stokes_nonlinear", 5},
                      Small{"axis_odd_sizes", "axis_odd_sizes"}),
    [](const auto &info) { return info.param.input; });

} // namespace
