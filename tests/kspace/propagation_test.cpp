// Compares propagation with closed solutions of the wave equation.
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <vector>

#include "kspace/accuracy_data.h"
#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "kspace/waves.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;

constexpr double epsilon = std::numeric_limits<float>::epsilon();
constexpr double speed = 1500;
constexpr std::array<float, 3> spacing{1e-3F, 1.2e-3F, 0.9e-3F};

std::vector<std::uint64_t> every_point(const test::InputWriter &input) {
  std::vector<std::uint64_t> all(input.points());
  std::iota(all.begin(), all.end(), 1U);
  return all;
}

class PropagationTest : public ::testing::TestWithParam<kspace::Extents> {};

// In a homogeneous periodic medium at rest cos(k.x) becomes cos(k.x) cos(c k t). The k-space scheme
// is exact in time, so any deviation is rounding. Each step rounds the three densities and the
// velocities (half an ulp each) and transforms their smaller increments (a few ulp). This is less
// than 4 epsilon of the amplitude per step, and at most 4 n epsilon in total. The operators are
// also rounded (kappa, derivative twice, dt/rho, dt rho, c^2: half an ulp each). This shifts the
// frequency by at most a relative 3 epsilon, and the phase by 3 epsilon c k t. Without kappa the
// phase of the highest wave would have a relative error of (c k dt)^2/24, a thousand times as much.
TEST_P(PropagationTest, StandingWaves_MatchTheory) {
  constexpr std::int64_t steps = 80;
  test::InputWriter input(GetParam(), steps);
  const test::Waves waves(test::some_waves(), GetParam(), spacing);
  const kspace::Extents &n = GetParam();
  constexpr double dt = static_cast<double>(2e-7F);
  const auto truth = [&](std::size_t point, std::int64_t step) {
    return waves.standing(point, speed, dt * static_cast<double>(step));
  };
  std::vector<float> p0(input.points());
  for (std::size_t i = 0; i < p0.size(); ++i)
    p0[i] = static_cast<float>(truth(i, 0));
  input.integer("p0_source_flag", 1).field("p0_source_input", p0);
  input.indices("sensor_mask_index", every_point(input));

  const test::ScratchDirectory scratch(test::world());
  input.write(scratch.file("in.h5"), test::world());
  test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), test::record_pressure(),
                 test::world());
  const std::vector<float> p = test::read(scratch.file("out.h5"), "p", test::world());
  const std::vector<float> p_max = test::read(scratch.file("out.h5"), "p_max", test::world());
  const std::vector<float> last = test::read(scratch.file("out.h5"), "p_final", test::world());
  ASSERT_EQ(p.size(), p0.size() * steps);
  test::AccuracyData data("plane_waves_" + std::to_string(n[0]) + "x" + std::to_string(n[1]) + "x" +
                              std::to_string(n[2]),
                          "step,deviation,tolerance");
  for (std::int64_t step = 0; step < steps; ++step) {
    double worst = 0;
    const double phase = speed * waves.max_magnitude() * dt * static_cast<double>(step);
    const double tolerance =
        (4 * static_cast<double>(step) + 3 * phase + 1) * epsilon * waves.amplitudes();
    for (std::size_t i = 0; i < p0.size(); ++i) {
      const auto found = static_cast<double>(p[static_cast<std::size_t>(step) * p0.size() + i]);
      worst = std::max(worst, std::abs(found - truth(i, step)));
      ASSERT_LE(worst, tolerance) << "step " << step << ", point " << i;
    }
    data.row(
        {static_cast<double>(step), worst / waves.amplitudes(), tolerance / waves.amplitudes()});
  }
  for (std::size_t i = 0; i < p0.size(); ++i) {
    float most = p[i];
    for (std::size_t step = 1; step < steps; ++step)
      most = std::max(most, p[step * p0.size() + i]);
    ASSERT_EQ(p_max[i], most) << i;
    ASSERT_EQ(last[i], p[(steps - 1) * p0.size() + i]) << i;
    ASSERT_EQ(p[i], p0[i]) << "the first sample is the initial pressure itself";
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, PropagationTest,
                         ::testing::Values(kspace::Extents{12, 10, 14}, kspace::Extents{15, 11, 13},
                                           kspace::Extents{16, 15, 10}),
                         [](const auto &info) {
                           return std::to_string(info.param[0]) + "x" +
                                  std::to_string(info.param[1]) + "x" +
                                  std::to_string(info.param[2]);
                         });

// Sound only moves mass. In a periodic box the sum of the pressure is c^2 times the mass added by
// the source, one third per component. The rounding of a step is below 4 epsilon of the largest
// pressure at each point.
TEST(SourceTest, AdditiveSource_AddsItsMass) {
  constexpr std::int64_t steps = 30;
  test::InputWriter input({9, 7, 8}, steps);
  // Unordered entries at two points, one of them twice. The signal ends before the simulation.
  const std::vector<std::uint64_t> points{input.point(3, 4, 6) + 1, input.point(1, 2, 0) + 1,
                                          input.point(3, 4, 6) + 1};
  constexpr std::size_t length = 12;
  std::vector<float> signal(length * points.size());
  for (std::size_t i = 0; i < signal.size(); ++i)
    signal[i] = 1e-6F * static_cast<float>(1 + i % 7);
  input.integer("p_source_flag", length).integer("p_source_mode", 1).integer("p_source_many", 1);
  input.indices("p_source_index", points);
  input.array("p_source_input", {1, length, points.size()}, signal);
  input.indices("sensor_mask_index", every_point(input));

  const test::ScratchDirectory scratch(test::world());
  input.write(scratch.file("in.h5"), test::world());
  test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), test::record_pressure(),
                 test::world());
  const std::vector<float> p = test::read(scratch.file("out.h5"), "p", test::world());
  double largest = 0;
  for (const float v : p)
    largest = std::max(largest, std::abs(static_cast<double>(v)));
  double mass = 0;
  for (std::size_t n = 0; n < steps; ++n) {
    for (std::size_t i = 0; n < length && i < points.size(); ++i)
      mass += static_cast<double>(signal[n * points.size() + i]);
    double sum = 0;
    for (std::size_t i = 0; i < input.points(); ++i)
      sum += static_cast<double>(p[n * input.points() + i]);
    ASSERT_NEAR(sum, 3 * speed * speed * mass,
                4 * epsilon * largest * static_cast<double>((n + 1) * input.points()))
        << "step " << n;
  }
}

// A Dirichlet source sets the density of each component. The pressure at its points is 3 c^2 s, up
// to the rounding of c^2 and of two sums.
TEST(SourceTest, DirichletSource_SetsPressure) {
  constexpr std::int64_t steps = 20;
  constexpr std::size_t length = 15;
  test::InputWriter input({8, 6, 9}, steps);
  const std::vector<std::uint64_t> points{input.point(7, 5, 8) + 1, input.point(0, 0, 0) + 1,
                                          input.point(2, 3, 4) + 1, input.point(0, 0, 0) + 1};
  std::vector<float> signal(length * points.size());
  for (std::size_t i = 0; i < signal.size(); ++i)
    signal[i] = 1e-6F * (static_cast<float>(i % 11) - 4.5F);
  input.integer("p_source_flag", length).integer("p_source_mode", 0).integer("p_source_many", 1);
  input.indices("p_source_index", points);
  input.array("p_source_input", {1, length, points.size()}, signal);
  input.indices("sensor_mask_index", {points[2], points[1], points[0], points[2]});

  const test::ScratchDirectory scratch(test::world());
  input.write(scratch.file("in.h5"), test::world());
  kspace::SimulationOptions options = test::record_pressure();
  options.recording.start = 3;
  test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), options, test::world());
  const std::vector<float> p = test::read(scratch.file("out.h5"), "p", test::world());
  ASSERT_EQ(p.size(), 4U * (steps - 2));
  // For each entry of the mask, the expected column of the signal. At a repeated point the last
  // column counts.
  const std::array<std::size_t, 4> column{2, 3, 0, 2};
  for (std::size_t n = 2; n < length; ++n)
    for (std::size_t i = 0; i < 4; ++i) {
      const double expected =
          3 * speed * speed * static_cast<double>(signal[n * points.size() + column[i]]);
      EXPECT_NEAR(static_cast<double>(p[(n - 2) * 4 + i]), expected,
                  2 * epsilon * std::abs(expected))
          << "step " << n << ", entry " << i;
    }
  // After the end of the source, the field at its points is no longer prescribed and changes.
  EXPECT_GT(std::abs(static_cast<double>(p[(length - 2) * 4] - p[(length - 3) * 4])), 0.01);
}

} // namespace
