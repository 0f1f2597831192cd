// Tests the time-averaged intensity and the heat source against their definition in double
// precision, applied to recorded time series, and against plane waves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <numeric>

#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "solvers/kspace/record/half_step_shift.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using std::numbers::pi;
using Complex = std::complex<double>;

/// Shifts u ahead by half a sample, by definition: multiplies its discrete Fourier transform by
/// exp(i pi k/T), without the Nyquist bin, and transforms back.
std::vector<double> shifted(const std::vector<double> &u) {
  const auto n = static_cast<int>(u.size());
  std::vector<double> v(u.size(), 0.0);
  for (int k = -(n - 1) / 2; k <= (n - 1) / 2; ++k) {
    Complex bin = 0;
    for (int t = 0; t < n; ++t)
      bin += u[static_cast<std::size_t>(t)] * std::polar(1.0, -2 * pi * k * t / n);
    for (int t = 0; t < n; ++t)
      v[static_cast<std::size_t>(t)] +=
          (bin * std::polar(1.0, 2 * pi * k * (t + 0.5) / n)).real() / n;
  }
  return v;
}

TEST(HalfStepShiftTest, Impulse_KernelIsItsShift) {
  for (const int samples : {1, 2, 3, 4, 7, 8, 30, 31}) {
    std::vector<double> impulse(static_cast<std::size_t>(samples), 0.0);
    impulse[0] = 1;
    const std::vector<double> truth = shifted(impulse);
    for (int m = 0; m < samples; ++m)
      EXPECT_NEAR(kspace::HalfStepShift<float>::kernel(samples, m),
                  truth[static_cast<std::size_t>(m)], 1e-13)
          << samples << " " << m;
  }
}

/// A recorded time series [rows][points], read in double precision.
struct Series {
  Series(const std::string &path, const std::string &dataset, std::size_t n)
      : values(io::File::open(path, test::world()).read_all<double>(dataset)), points(n) {}
  std::vector<double> at(std::size_t point) const {
    std::vector<double> column;
    for (std::size_t i = point; i < values.size(); i += points)
      column.push_back(values[i]);
    return column;
  }
  std::vector<double> values;
  std::size_t points;
};

/// Returns the mean of p u(t + 1/2) at every point of a mask, where `cuboid` is "", "/1", ...
std::vector<double> intensity(const std::string &path, char axis, const std::string &cuboid,
                              std::size_t points) {
  const Series p(path, "p" + cuboid, points);
  const Series u(path, std::string("u") + axis + "_non_staggered" + cuboid, points);
  std::vector<double> mean(points);
  for (std::size_t i = 0; i < points; ++i) {
    const std::vector<double> pressure = p.at(i);
    const std::vector<double> velocity = shifted(u.at(i));
    mean[i] = std::inner_product(pressure.begin(), pressure.end(), velocity.begin(), 0.0) /
              static_cast<double>(pressure.size());
  }
  return mean;
}

kspace::SimulationOptions record_intensity() {
  kspace::SimulationOptions options;
  options.recording.p["raw"] = options.recording.u_non_staggered_raw = true;
  options.recording.intensity.average = true;
  options.effort = Effort::estimate;
  return options;
}

struct Case {
  std::string input;
  std::int64_t start;
  kspace::Precision precision = kspace::Precision::single;
};

class IntensityTest : public ::testing::TestWithParam<Case> {};

// The kernel of the shift has an error of at most 2e-7. Its errors alternate in sign from sample to
// sample, but the products p u do not: the measured error is 3e-7 of |p||u|. Sums over the past and
// products are rounded to 6e-8 each. The tolerance of 2e-6 of the largest intensity allows for
// points with |p||u| a few times the intensity. In double precision the kernel has an error of
// 1e-12 and the tolerance is 1e-11.
TEST_P(IntensityTest, AllCases_MatchMeanOfSeries) {
  const test::ScratchDirectory scratch(test::world());
  const std::string out = scratch.file("out.h5");
  kspace::SimulationOptions options = record_intensity();
  options.recording.start = GetParam().start;
  options.threads = 2;
  options.precision = GetParam().precision;
  const bool single = GetParam().precision == kspace::Precision::single;
  test::simulate(std::string(HFFT_KWAVE_DATA) + "/small/" + GetParam().input + "_input.h5", out,
                 options, test::world());
  const io::File file = io::File::open(out, test::world());
  std::map<std::string, std::vector<double>> truth;
  double largest = 0;
  for (const char axis : {'x', 'y', 'z'})
    for (const std::string cuboid : {"", "/1", "/2", "/3"}) {
      const std::string dataset = std::string("I") + axis + "_avg" + cuboid;
      if (!file.exists(dataset)) continue;
      const io::Shape series = file.info("p" + cuboid).shape;
      const io::Shape shape = file.info(dataset).shape;
      EXPECT_EQ(shape, cuboid.empty() ? (io::Shape{1, 1, series[2]})
                                      : (io::Shape{series[1], series[2], series[3]}));
      truth[dataset] = intensity(out, axis, cuboid, shape[0] * shape[1] * shape[2]);
      for (const double v : truth[dataset])
        largest = std::max(largest, std::abs(v));
    }
  ASSERT_GE(truth.size(), 2U);
  for (const auto &[dataset, values] : truth) {
    const std::vector<double> found = file.read_all<double>(dataset);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], values[i], (single ? 2e-6 : 1e-11) * largest) << dataset << " " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(KWave, IntensityTest,
                         ::testing::Values(Case{"odd_sizes", 12}, Case{"uniform_absorbing", 1},
                                           Case{"flat_all_arrays", 2},
                                           Case{"nonuniform_arrays", 40},
                                           Case{"axis_odd_sizes", 38},
                                           Case{"odd_sizes", 12, kspace::Precision::double_},
                                           Case{"axis_lossless", 1, kspace::Precision::double_}),
                         [](const auto &info) {
                           const bool single = info.param.precision == kspace::Precision::single;
                           return info.param.input + (single ? "" : "_double");
                         });

/// A pulse in an absorbing box of even or odd extents.
test::InputWriter pulse(const kspace::Extents &n) {
  test::InputWriter input(n, 30);
  std::vector<float> p0(input.points());
  for (std::size_t i = 0; i < p0.size(); ++i) {
    const auto x = static_cast<double>(i % static_cast<std::size_t>(n[0])) - 5;
    const auto y =
        static_cast<double>(i / static_cast<std::size_t>(n[0]) % static_cast<std::size_t>(n[1])) -
        4;
    p0[i] = static_cast<float>(1e5 * std::exp(-(x * x + y * y) / 8));
  }
  input.integer("p0_source_flag", 1).field("p0_source_input", p0);
  return input;
}

/// Subtracts the derivative d v / d axis from `sum` at every grid point, by a discrete Fourier
/// transform along each line.
void subtract_slope(const std::vector<double> &v, const kspace::Extents &n, int axis, double d,
                    std::vector<double> &sum) {
  const auto a = static_cast<std::size_t>(axis);
  std::size_t stride = 1;
  for (std::size_t before = 0; before < a; ++before)
    stride *= static_cast<std::size_t>(n[before]);
  const auto points = static_cast<int>(n[a]);
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto here = static_cast<int>(i / stride % static_cast<std::size_t>(points));
    for (int other = 0; other < points; ++other) {
      // Derivative of the trigonometric interpolation: sum over k of i k exp(i k (here - other) d)
      // / n.
      double weight = 0;
      for (int k = 1; 2 * k < points; ++k)
        weight -= 2 * (2 * pi * k / (points * d)) * std::sin(2 * pi * k * (here - other) / points) /
                  points;
      const auto at =
          static_cast<std::ptrdiff_t>(i) + (other - here) * static_cast<std::ptrdiff_t>(stride);
      sum[i] -= weight * v[static_cast<std::size_t>(at)];
    }
  }
}

// The reference uses the whole grid as sensor and intensities in double precision. The program's
// intensities have errors of 2e-6 (see IntensityTest), and the derivative multiplies them by up to
// pi/d.
TEST(HeatTest, Pulse_IsNegativeDivergence) {
  const test::ScratchDirectory scratch(test::world());
  for (const kspace::Extents &n : {kspace::Extents{12, 9, 1}, kspace::Extents{8, 9, 10}}) {
    test::InputWriter input = pulse(n);
    std::vector<std::uint64_t> everywhere(input.points());
    std::iota(everywhere.begin(), everywhere.end(), 1U);
    input.indices("sensor_mask_index", everywhere);
    input.write(scratch.file("in.h5"), test::world());
    kspace::SimulationOptions options = record_intensity();
    options.recording.intensity.heat = true;
    const std::string out = scratch.file("out.h5");
    test::simulate(scratch.file("in.h5"), out, options, test::world());
    const std::array<double, 3> d{1e-3, 1.2e-3, 0.9e-3};
    std::vector<double> heat(input.points(), 0.0);
    double largest = 0;
    for (int axis = 0; axis < (n[2] == 1 ? 2 : 3); ++axis) {
      const std::vector<double> mean = intensity(out, "xyz"[axis], "", input.points());
      for (const double v : mean)
        largest = std::max(largest, std::abs(v) * pi / d[static_cast<std::size_t>(axis)]);
      subtract_slope(mean, n, axis, d[static_cast<std::size_t>(axis)], heat);
    }
    const std::vector<float> found = test::read(out, "Q_term", test::world());
    ASSERT_EQ(found.size(), heat.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(static_cast<double>(found[i]), heat[i], 3 * 2e-6 * largest) << i;

    // A sensor on a part of the grid must record the same values there.
    input.remove("sensor_mask_index").integer("sensor_mask_type", 1);
    const auto last_z = static_cast<std::uint64_t>(n[2]);
    input.array("sensor_mask_corners", {1, 2, 6},
                std::vector<std::uint64_t>{2, 3, 1, 5, 4, last_z, 8, 9, last_z, 8, 9, last_z});
    input.write(scratch.file("in.h5"), test::world());
    test::simulate(scratch.file("in.h5"), out, options, test::world());
    const std::vector<float> part = test::read(out, "Q_term/1", test::world());
    std::size_t i = 0;
    for (std::ptrdiff_t z = 0; z < n[2]; ++z)
      for (std::ptrdiff_t y = 2; y < 4; ++y)
        for (std::ptrdiff_t x = 1; x < 5; ++x)
          ASSERT_EQ(part[i++], found[input.point(x, y, z)]);
    EXPECT_EQ(part.size(), i);
    EXPECT_EQ(test::read(out, "Q_term/2", test::world()).front(),
              found[input.point(7, 8, n[2] - 1)]);
  }
}

TEST(HeatTest, OtherGrids_AreRefused) {
  const test::ScratchDirectory scratch(test::world());
  kspace::SimulationOptions options = record_intensity();
  options.recording.intensity.heat = true;
  for (const std::string input : {"axis_lossless", "flat_nonuniform"}) {
    try {
      test::simulate(std::string(HFFT_KWAVE_DATA) + "/small/" + input + "_input.h5",
                     scratch.file("out.h5"), options, test::world());
      ADD_FAILURE() << input;
    } catch (const kspace::Unsupported &e) {
      EXPECT_NE(std::string(e.what()).find("--Q_term"), std::string::npos) << e.what();
    }
  }
}

/// A continuous plane wave along x, averaged over whole periods in the steady state.
struct PlaneWave {
  static constexpr double speed = 1500, density = 1000, d = 1e-4;
  static constexpr int per_wave = 24, per_period = 60, periods = 24, averaged = 4;
  static constexpr double dt = per_wave * d / speed / per_period;
  static constexpr std::int64_t nx = 280;
  static constexpr std::ptrdiff_t source = 40;
  static constexpr std::size_t first = 90, last = 240;

  std::vector<double> amplitude, average, heat; ///< at x = first, ..., last - 1

  /// \param alpha_coeff in dB/(MHz^1.5 cm)
  explicit PlaneWave(double alpha_coeff) {
    constexpr std::size_t steps = static_cast<std::size_t>(per_period) * periods;
    test::InputWriter input({nx, 4, 1}, steps);
    input.real("dx", d).real("dy", d).real("dt", dt).integer("pml_x_size", 20);
    if (alpha_coeff > 0)
      input.integer("absorbing_flag", 1).real("alpha_power", 1.5).real("alpha_coeff", alpha_coeff);
    // The source is smooth in space, so the intensity is smooth, too; its spectral derivative
    // depends on the whole row.
    std::vector<std::uint64_t> points;
    std::vector<double> weight;
    for (std::ptrdiff_t y = 0; y < 4; ++y)
      for (std::ptrdiff_t x = -16; x <= 16; ++x) {
        points.push_back(input.point(source + x, y, 0) + 1);
        weight.push_back(std::exp(-static_cast<double>(x * x) / 32));
      }
    std::vector<float> signals;
    for (std::size_t i = 0; i < steps; ++i) {
      const double t = static_cast<double>(i) / per_period;
      const double start = t < 4 ? std::pow(std::sin(pi * t / 8), 2) : 1;
      for (const double w : weight)
        signals.push_back(static_cast<float>(1e-3 * w * start * std::sin(2 * pi * t)));
    }
    input.integer("p_source_flag", steps).integer("p_source_mode", 1).integer("p_source_many", 1);
    input.indices("p_source_index", points);
    input.array("p_source_input", {1, steps, points.size()}, signals);
    input.integer("sensor_mask_type", 1).remove("sensor_mask_index");
    input.array("sensor_mask_corners", {1, 1, 6},
                std::vector<std::uint64_t>{first + 1, 1, 1, last, 1, 1});
    const test::ScratchDirectory scratch(test::world());
    input.write(scratch.file("in.h5"), test::world());
    kspace::SimulationOptions options;
    options.effort = Effort::estimate;
    options.recording.start = per_period * (periods - averaged) + 1;
    options.recording.p["raw"] = true;
    options.recording.intensity = {true, true};
    const std::string out = scratch.file("out.h5");
    test::simulate(scratch.file("in.h5"), out, options, test::world());
    const Series p(out, "p/1", last - first);
    for (std::size_t i = 0; i < last - first; ++i) {
      const std::vector<double> column = p.at(i);
      Complex sum = 0;
      for (std::size_t t = 0; t < column.size(); ++t)
        sum += column[t] * std::polar(1.0, -2 * pi * static_cast<double>(t) / per_period);
      amplitude.push_back(2 * std::abs(sum) / static_cast<double>(column.size()));
    }
    for (const float v : test::read(out, "Ix_avg/1", test::world()))
      average.push_back(static_cast<double>(v));
    for (const float v : test::read(out, "Q_term/1", test::world()))
      heat.push_back(static_cast<double>(v));
  }
};

// Without losses the discrete equations have the exact ratio of pressure and velocity. Errors of
// single precision and the reflection of the PML, 1e-5, are far below 0.1 %.
TEST(PlaneWaveTest, NoLosses_IntensityMatchesTheory) {
  const PlaneWave wave(0);
  for (std::size_t i = 0; i < wave.average.size(); ++i) {
    const double truth =
        wave.amplitude[i] * wave.amplitude[i] / (2 * PlaneWave::density * PlaneWave::speed);
    ASSERT_NEAR(wave.average[i] / truth, 1, 1e-3) << i;
    // The heat source 2 alpha I is 0, since alpha is. Only the reflection of the PML remains, 1e-5,
    // times k = 2618 rad/m.
    ASSERT_LT(std::abs(wave.heat[i]), 1e-3 * 2618 * truth) << i;
  }
}

// Q = 2 alpha I with alpha = 5.7 Np/m. Time differences have errors of (omega dt)^2/12 = 0.1 %. The
// loss is half a step late, which adds half the decay per step, 0.02 %. Terms of first order in
// alpha/k = 0.2 % are known: the loss depends on the wave number and on time. At single points the
// reflection of the PML and single precision cause a ripple of half a wavelength and 3e-5 of the
// intensity. Its slope is 3e-5 2 k I = 1.4 % of Q and averages out over whole half waves.
TEST(PlaneWaveTest, Losses_HeatMatchesTheory) {
  constexpr double alpha_coeff = 1;
  const double omega = 2 * pi / (PlaneWave::per_period * PlaneWave::dt);
  const double c = PlaneWave::speed;
  const double given = 100 * alpha_coeff / (20 * std::log10(std::numbers::e)) *
                       std::pow(1e-6 * omega / (2 * pi), 1.5);
  EXPECT_NEAR(given, 5.7, 0.1);
  // k = omega/c + alpha tan(pi y/2) with alpha = alpha0 omega^y. The decay in time is alpha0 c (c
  // k)^y. Divided by the group velocity d omega / d k it is the decay in space.
  const double k = omega / c - given;
  const double alpha = given * c * std::pow(c * k / omega, 1.5) * (1 / c - 1.5 * given / omega);
  const PlaneWave wave(alpha_coeff);
  constexpr std::size_t half_waves = 12 * PlaneWave::per_wave / 2;
  double ratio = 0;
  for (std::size_t i = 0; i < half_waves; ++i) {
    // The velocity is proportional to the slope of the pressure, as far as both are in phase.
    const double truth =
        wave.amplitude[i] * wave.amplitude[i] * k / (2 * PlaneWave::density * omega);
    ASSERT_NEAR(wave.average[i] / truth, 1, 0.002) << i;
    ASSERT_NEAR(wave.heat[i] / (2 * alpha * wave.average[i]), 1, 0.03) << i;
    ratio += wave.heat[i] / (2 * alpha * wave.average[i]) / half_waves;
  }
  EXPECT_NEAR(ratio, 1, 0.003);
  RecordProperty("Q_over_2_alpha_I", std::to_string(ratio));
}

} // namespace
