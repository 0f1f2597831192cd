// The solver as a library: inputs from arrays, recorded data in memory, and one type of exception.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <numeric>

#include "hybridfft/kspace.hpp"
#include "io/hdf5.h"
#include "support/expect_error.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using kspace::Input;

using kspace::RunOptions;

constexpr double epsilon = std::numeric_limits<float>::epsilon();

/// A grid of 12 x 10 x 9 points without PML, recorded at all points.
Input periodic(std::int64_t steps) {
  Input input;
  input.grid = {{12, 10, 9}, {1e-3, 1.2e-3, 0.9e-3}, 2e-7, steps, {0, 0, 0}, 2};
  input.sensor.points.resize(12 * 10 * 9);
  std::iota(input.sensor.points.begin(), input.sensor.points.end(), 0U);
  return input;
}

RunOptions estimated(std::vector<std::string> record) {
  RunOptions options;
  options.record = std::move(record);
  options.measure = false;
  options.threads = 1;
  return options;
}

/// Returns a simulation that has run to its end.
kspace::Run executed(const Input &input, const test::ScratchDirectory &scratch,
                     const RunOptions &options) {
  kspace::Run run(input, scratch.file("out.h5"), options, test::world());
  run.execute();
  EXPECT_TRUE(run.complete());
  EXPECT_FALSE(run.diverged());
  return run;
}

// In a homogeneous periodic medium cos(k.x) becomes cos(k.x) cos(c k t), and the scheme is exact in
// time (Tabei, Mast and Waag). The remaining error is rounding: less than 4 epsilon of the
// amplitude per step, and 3 epsilon of the phase, as in propagation_test.cpp.
TEST(KspaceLibrary, PlaneWaveFromArrays_IsExact) {
  constexpr std::int64_t steps = 40;
  Input input = periodic(steps);
  const std::array<double, 3> k{2 * std::numbers::pi * 2 / 12e-3, 2 * std::numbers::pi / 12e-3,
                                2 * std::numbers::pi * 3 / 8.1e-3};
  const auto wave = [&](std::uint64_t point) {
    const double x = 1e-3 * static_cast<double>(point % 12);
    const double y = 1.2e-3 * static_cast<double>(point / 12 % 10);
    const double z = 0.9e-3 * static_cast<double>(point / 120);
    return std::cos(k[0] * x + k[1] * y + k[2] * z);
  };
  for (const std::uint64_t point : input.sensor.points)
    input.initial_pressure.push_back(static_cast<float>(wave(point)));
  const test::ScratchDirectory scratch(test::world());
  std::int64_t seen = 0;
  kspace::Run run(input, scratch.file("out.h5"), estimated({"p_raw", "p_max"}), test::world());
  EXPECT_EQ(run.steps(), steps);
  run.execute([&](std::int64_t done) { EXPECT_EQ(done, ++seen); });
  EXPECT_EQ(seen, steps);
  EXPECT_EQ(run.shape("p"), (std::vector<std::size_t>{1, steps, 1080}));
  const std::vector<double> p = run.read("p");
  ASSERT_EQ(p.size(), 1080U * steps);
  const double rate = 1500 * static_cast<double>(2e-7F) * std::hypot(k[0], k[1], k[2]);
  for (std::size_t n = 0; n < steps; ++n) {
    const double phase = rate * static_cast<double>(n);
    const double tolerance = (4 * static_cast<double>(n) + 3 * phase + 1) * epsilon;
    for (std::size_t i = 0; i < 1080; ++i)
      ASSERT_NEAR(p[1080 * n + i], wave(i) * std::cos(phase), tolerance) << n << " " << i;
  }
  EXPECT_EQ(run.read("p_max").size(), 1080U);
  EXPECT_GT(run.times().simulating, 0);
}

// Sound moves mass but creates none, so the sum of the pressure equals the source's input. An
// additive pressure s adds 2 dt c s / dx to its point: k-Wave's scale 2 dt / (D c dx) times c^2 for
// each of the D parts of the density.
TEST(KspaceLibrary, AdditivePressure_HasKWavesScale) {
  Input input = periodic(20);
  input.pressure.points = {5, 700, 131};
  input.pressure.one_signal = false;
  for (int i = 0; i < 3 * 8; ++i)
    input.pressure.signal.push_back(1e3F * static_cast<float>(1 + i % 5));
  const test::ScratchDirectory scratch(test::world());
  const std::vector<double> p = executed(input, scratch, estimated({"p_raw"})).read("p");
  double largest = 0;
  for (const double v : p)
    largest = std::max(largest, std::abs(v));
  double expected = 0;
  for (std::size_t n = 0; n < 20; ++n) {
    for (std::size_t i = 0; n < 8 && i < 3; ++i)
      expected += 2 * 2e-7 * 1500 / 1e-3 * static_cast<double>(input.pressure.signal[3 * n + i]);
    double sum = 0;
    for (std::size_t i = 0; i < 1080; ++i)
      sum += p[1080 * n + i];
    ASSERT_NEAR(sum, expected, 8 * epsilon * largest * static_cast<double>((n + 1) * 1080)) << n;
  }
}

// Lines and planes have the source scales of their number of dimensions: the sum of the pressure
// equals the input of the additive source, and a wave of initial pressure along x is exact.
TEST(KspaceLibrary, FewerDimensions_HaveTheirScales) {
  const test::ScratchDirectory scratch(test::world());
  for (const std::array<std::int64_t, 3> &points :
       {std::array<std::int64_t, 3>{24, 1, 1}, {12, 10, 1}}) {
    constexpr std::size_t steps = 20;
    const auto n = static_cast<std::size_t>(points[0] * points[1]);
    Input input = periodic(steps);
    input.grid.points = points;
    input.sensor.points.resize(n);
    Input wave = input;
    const double k = 2 * std::numbers::pi * 2 / (1e-3 * static_cast<double>(points[0]));
    const auto at = [&](std::size_t i) {
      return std::cos(k * 1e-3 * static_cast<double>(i % static_cast<std::size_t>(points[0])));
    };
    for (std::size_t i = 0; i < n; ++i)
      wave.initial_pressure.push_back(static_cast<float>(at(i)));
    const std::vector<double> p = executed(wave, scratch, estimated({"p_raw"})).read("p");
    const double rate = 1500 * static_cast<double>(2e-7F) * k;
    for (std::size_t t = 0; t < steps; ++t)
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(p[n * t + i], at(i) * std::cos(rate * static_cast<double>(t)),
                    (7 * static_cast<double>(t) + 4) * epsilon)
            << points[1] << " " << t << " " << i;
    input.pressure.points = {5, 17};
    input.pressure.signal.assign(8, 1e3F);
    const std::vector<double> driven = executed(input, scratch, estimated({"p_raw"})).read("p");
    for (std::size_t t = 0; t < steps; ++t) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        sum += driven[n * t + i];
      const double expected =
          2 * 2e-7 * 1500 / 1e-3 * 2e3 * static_cast<double>(std::min(t + 1, 8UL));
      ASSERT_NEAR(sum, expected, 1e-5 * expected) << points[1] << " " << t;
    }
  }
}

TEST(KspaceLibrary, VelocityAlongAnAxisOfOnePoint_IsRefused) {
  Input input = periodic(5);
  input.grid.points = {24, 1, 1};
  input.sensor.points = {3};
  input.velocity[1] = {{3}, true, {0.5}, kspace::Source::Mode::additive};
  const test::ScratchDirectory scratch(test::world());
  test::expect_error(HFFT_ERROR_ARGUMENT, {"velocity[1] is given, expected none along y"},
                     [&] { input.write(scratch.file("in.h5"), test::world()); });
}

// A Dirichlet source sets the pressure or the velocity at its points, up to the rounding of the
// scale and of two sums.
TEST(KspaceLibrary, DirichletSource_SetsField) {
  const test::ScratchDirectory scratch(test::world());
  Input input = periodic(6);
  input.sensor.points = {400};
  input.pressure.points = {400, 77};
  input.pressure.mode = kspace::Source::Mode::dirichlet;
  input.pressure.signal = {100, 250, -30, 7};
  const std::vector<double> p = executed(input, scratch, estimated({"p_raw"})).read("p");
  for (std::size_t n = 0; n < 4; ++n)
    EXPECT_NEAR(p[n], static_cast<double>(input.pressure.signal[n]), 4 * epsilon * 250);

  Input moving = periodic(6);
  moving.sensor.points = {400};
  moving.velocity[1] = {{400}, true, {0.5, -0.25, 2}, kspace::Source::Mode::dirichlet};
  const std::vector<double> u = executed(moving, scratch, estimated({"u_raw"})).read("uy");
  for (std::size_t n = 0; n < 3; ++n)
    EXPECT_NEAR(u[n], static_cast<double>(moving.velocity[1].signal[n]), 4 * epsilon * 2);
}

// In a periodic homogeneous medium pressure gradients sum to zero. The sum of the velocity is
// therefore the source's input, 2 c dt / dx of its signal.
TEST(KspaceLibrary, AdditiveVelocity_HasKWavesScale) {
  Input input = periodic(5);
  input.velocity[2] = {{3, 999}, true, {0.5, 1}, kspace::Source::Mode::additive};
  const test::ScratchDirectory scratch(test::world());
  const std::vector<double> u = executed(input, scratch, estimated({"u_raw"})).read("uz");
  const double scale = 2 * 1500 * 2e-7 / 0.9e-3;
  const std::array<double, 5> expected{2 * 0.5 * scale, 3 * scale, 3 * scale, 3 * scale, 3 * scale};
  for (std::size_t n = 0; n < 5; ++n) {
    double sum = 0;
    for (std::size_t i = 0; i < 1080; ++i)
      sum += u[1080 * n + i];
    EXPECT_NEAR(sum, expected[n], 1080 * 4 * epsilon * scale) << n;
  }
}

// Staggered densities are means of both neighbours; the last point has its own density. The
// reference sound speed is the maximum.
TEST(KspaceLibrary, VaryingMedium_IsWritten) {
  Input input = periodic(1);
  input.medium.sound_speed.clear();
  input.medium.density.clear();
  for (int i = 0; i < 1080; ++i) {
    input.medium.sound_speed.push_back(1400 + static_cast<float>(i % 100));
    input.medium.density.push_back(900 + static_cast<float>(i % 77));
  }
  input.medium.nonlinearity = {6};
  input.medium.absorption = {0.75};
  const test::ScratchDirectory scratch(test::world());
  input.write(scratch.file("in.h5"), test::world());
  const io::File file = io::File::open(scratch.file("in.h5"), test::world());
  EXPECT_EQ(file.read_all<float>("c_ref"), std::vector<float>{1499});
  EXPECT_EQ(file.read_all<float>("c0"), input.medium.sound_speed);
  EXPECT_EQ(file.info("rho0").shape, (io::Shape{9, 10, 12}));
  const auto &rho = input.medium.density;
  const std::vector<float> y = file.read_all<float>("rho0_sgy");
  for (std::size_t i = 0; i < 1080; ++i)
    EXPECT_EQ(y[i], i / 12 % 10 < 9 ? (rho[i] + rho[i + 12]) / 2 : rho[i]) << i;
  kspace::Run run(scratch.file("in.h5"), scratch.file("out.h5"), estimated({"p_max_all"}),
                  test::world());
  run.execute();
  EXPECT_EQ(run.shape("p_max_all"), (std::vector<std::size_t>{9, 10, 12}));
}

TEST(KspaceLibrary, CuboidsWithCheckpoints_AreRecorded) {
  Input input = periodic(9);
  input.initial_pressure.assign(1080, 0);
  input.initial_pressure[500] = 1;
  const test::ScratchDirectory scratch(test::world());
  RunOptions options = estimated({"p_raw"});
  options.double_precision = true;
  const std::vector<double> everywhere = executed(input, scratch, options).read("p");

  input.sensor = {{}, {{1, 2, 3, 4, 6, 5}, {0, 0, 0, 0, 0, 0}}};
  options.checkpoint = scratch.file("state.h5");
  options.checkpoint_steps = 5;
  {
    kspace::Run first(input, scratch.file("parts.h5"), options, test::world());
    first.execute();
    EXPECT_EQ(first.steps_done(), 5);
    EXPECT_FALSE(first.complete());
  }
  kspace::Run second(input, scratch.file("parts.h5"), options, test::world());
  second.execute();
  EXPECT_TRUE(second.complete());
  ASSERT_EQ(second.shape("p/1"), (std::vector<std::size_t>{9, 3, 5, 4}));
  const std::vector<double> p = second.read("p/1");
  std::size_t at = 0;
  for (std::size_t n = 0; n < 9; ++n)
    for (std::size_t z = 3; z <= 5; ++z)
      for (std::size_t y = 2; y <= 6; ++y)
        for (std::size_t x = 1; x <= 4; ++x)
          ASSERT_EQ(p[at++], everywhere[1080 * n + x + 12 * (y + 10 * z)]) << at;
  EXPECT_EQ(second.read("p/2").size(), 9U);
}

// Invalid inputs and options cause errors on all ranks. The message names the member or the file.
TEST(KspaceLibrary, InvalidInput_NamesMemberOrFile) {
  const test::ScratchDirectory scratch(test::world());
  const auto run = [&](const Input &input, const RunOptions &options = {}) {
    kspace::Run(input, scratch.file("out.h5"), options, test::world());
  };
  const auto refused = [&](const std::string &words, const auto &change) {
    Input input = periodic(3);
    change(input);
    test::expect_error(HFFT_ERROR_ARGUMENT, {words}, [&] { run(input); });
  };
  refused("grid.points[1] is 0", [](Input &i) { i.grid.points[1] = 0; });
  refused("medium.density is of 2 values, expected 1 or 1080", [](Input &i) {
    i.medium.density = {1, 2};
  });
  refused("medium.sound_speed is of 0 values", [](Input &i) { i.medium.sound_speed.clear(); });
  refused("pressure.points is with point 1080", [](Input &i) {
    i.pressure.points = {1080};
    i.pressure.signal = {1};
  });
  refused("pressure.signal is of 3 values, expected a multiple of 2", [](Input &i) {
    i.pressure = {{1, 2}, false, {1, 2, 3}, kspace::Source::Mode::additive};
  });
  refused("sensor.cuboids is with 3 to 10 along y", [](Input &i) {
    i.sensor = {{}, {{0, 3, 0, 0, 10, 0}}};
  });
  refused("sensor is empty", [](Input &i) { i.sensor.points.clear(); });
  refused("dt", [](Input &i) { i.grid.dt = 0; });

  RunOptions options;
  options.record = {"p_loud"};
  test::expect_error(HFFT_ERROR_ARGUMENT, {"'p_loud', expected one of p_raw"},
                     [&] { run(periodic(3), options); });
  options = {};
  options.compression = 10;
  test::expect_error(HFFT_ERROR_ARGUMENT, {"compression is 10, expected 0 to 9"},
                     [&] { run(periodic(3), options); });
  test::expect_error(HFFT_ERROR_ARGUMENT, {scratch.file("absent.h5")}, [&] {
    kspace::Run(scratch.file("absent.h5"), scratch.file("out.h5"), {}, test::world());
  });
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out.h5")));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out.h5.input")));
}

} // namespace
