// Compares the field of a focused bowl on its axis with O'Neil's solution.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <vector>

#include "kspace/accuracy_data.h"
#include "kspace/input_writer.h"
#include "kspace/run_simulation.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using std::numbers::pi;

// Lengths are in grid points and times in steps.
constexpr kspace::Extents n{76, 64, 64};
constexpr int pml = 12;
constexpr std::array<double, 3> apex{18, 32, 32};
constexpr double curvature = 24, aperture = 14; // radius of curvature, and radius of the rim
constexpr double wave = 5;                      // wavelength
constexpr int period = 16, ramp = 4 * period, steps = 20 * period;
constexpr double k = 2 * pi / wave;
constexpr double speed = 1500, spacing = 1e-3, dt = wave / period * spacing / speed;
constexpr double sigma = 0.9; // width of the Gaussians by which the grid represents the bowl
constexpr int reach = 4;

/// Calls f(x, y, z, area) for points on the bowl, on rings of equal area.
template <class F> void for_each_point_of_bowl(const F &f) {
  constexpr int rings = 160;
  const double depth = curvature - std::sqrt(curvature * curvature - aperture * aperture);
  for (int ring = 0; ring < rings; ++ring) {
    const double x = (ring + 0.5) * depth / rings;
    const double r = std::sqrt(x * (2 * curvature - x));
    const int around = 8 + static_cast<int>(2 * pi * r / 0.4);
    const double area = 2 * pi * curvature * depth / rings / around;
    for (int i = 0; i < around; ++i) {
      const double angle = 2 * pi * (i + 0.5 * (ring % 2)) / around;
      f(apex[0] + x, apex[1] + r * std::cos(angle), apex[2] + r * std::sin(angle), area);
    }
  }
}

/// Returns the bowl's surface area per grid point. Each piece of the bowl becomes a Gaussian of the
/// same area.
std::map<std::uint64_t, double> bowl_on_the_grid(const test::InputWriter &input) {
  std::map<std::uint64_t, double> weights;
  constexpr std::size_t width = 2 * reach + 1;
  for_each_point_of_bowl([&](double x, double y, double z, double area) {
    const std::array<double, 3> at{x, y, z};
    std::array<std::ptrdiff_t, 3> first{};
    std::array<std::array<double, width>, 3> factor{};
    for (std::size_t a = 0; a < 3; ++a) {
      first[a] = std::lround(at[a]) - reach;
      for (std::size_t i = 0; i < width; ++i) {
        const double distance = static_cast<double>(first[a]) + static_cast<double>(i) - at[a];
        factor[a][i] =
            std::exp(-distance * distance / (2 * sigma * sigma)) / (sigma * std::sqrt(2 * pi));
      }
    }
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t b = 0; b < width; ++b)
        for (std::size_t a = 0; a < width; ++a)
          weights[input.point(first[0] + static_cast<std::ptrdiff_t>(a),
                              first[1] + static_cast<std::ptrdiff_t>(b),
                              first[2] + static_cast<std::ptrdiff_t>(c))] +=
              area * factor[0][a] * factor[1][b] * factor[2][c];
  });
  return weights;
}

/// Returns the amplitude on the axis relative to P, at a distance z from the apex (O'Neil, JASA 21
/// (1949) 516). On the axis the integral of exp(ikR)/R over the bowl has a closed form. Multiplied
/// by k/(2 pi) it is A/|A - z| 2 |sin(k (B - z)/2)|, where A is the radius of curvature and B the
/// distance of the rim.
double oneil(double z) {
  const double depth = curvature - std::sqrt(curvature * curvature - aperture * aperture);
  const double from_focus = std::abs(curvature - z);
  if (from_focus < 1e-6) return k * depth;
  const double edge = std::hypot(z - depth, aperture);
  return 2 * curvature / from_focus * std::abs(std::sin(k * (edge - z) / 2));
}

/// Simulates the bowl with a source pressure P of 1 Pa. Returns the amplitudes on the axis.
std::vector<double> amplitudes_on_the_axis(const std::vector<int> &axis) {
  test::InputWriter input(n, steps);
  input.real("dx", spacing).real("dy", spacing).real("dz", spacing).real("dt", dt);
  for (const char *size : {"pml_x_size", "pml_y_size", "pml_z_size"})
    input.integer(size, pml);
  const std::map<std::uint64_t, double> weights = bowl_on_the_grid(input);
  // A point adding s(t) to each density radiates (3 spacing^3/dt) s'(t - R/c) / (4 pi R) (see
  // PointSourceTest). A Gaussian radiates exp(-(k sigma)^2/2) times as much as a point.
  const double strength = 2 * dt / (3 * speed * spacing) * std::exp(k * k * sigma * sigma / 2);
  std::vector<std::uint64_t> indices;
  for (const auto &[point, weight] : weights)
    indices.push_back(point + 1);
  std::vector<float> signal;
  signal.reserve(indices.size() * steps);
  for (int step = 0; step < steps; ++step) {
    const double start = step < ramp ? std::pow(std::sin(pi * step / (2 * ramp)), 2) : 1;
    const double s = strength * start * std::sin(2 * pi * step / period);
    for (const auto &[point, weight] : weights)
      signal.push_back(static_cast<float>(s * weight));
  }
  input.integer("p_source_flag", steps).integer("p_source_mode", 2).integer("p_source_many", 1);
  input.array("p_source_input", {1, steps, indices.size()}, signal);
  input.indices("p_source_index", indices);
  std::vector<std::uint64_t> mask;
  for (const int z : axis)
    mask.push_back(input.point(static_cast<std::ptrdiff_t>(apex[0]) + z, 32, 32) + 1);
  input.indices("sensor_mask_index", mask);

  const test::ScratchDirectory scratch(test::world());
  input.write(scratch.file("in.h5"), test::world());
  test::simulate(scratch.file("in.h5"), scratch.file("out.h5"), test::record_pressure(),
                 test::world());
  const std::vector<float> p = test::read(scratch.file("out.h5"), "p", test::world());
  std::vector<double> amplitudes;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    std::complex<double> sum = 0;
    for (int step = steps - 2 * period; step < steps; ++step)
      sum += static_cast<double>(p[static_cast<std::size_t>(step) * axis.size() + i]) *
             std::polar(1.0, 2 * pi * step / period);
    amplitudes.push_back(std::abs(sum) / period);
  }
  return amplitudes;
}

// Outside the Gaussians, which are radially symmetric, the field equals that of the bowl. These
// errors are relative to the field at the focus, where all parts of the bowl are in phase:
// - rings with a phase range of 0.05 (8 rad at z = 8 over 160 rings): its square over 24 is 1e-4;
// - the Gaussians' tails beyond 3.5 points, 1e-4 along each axis, and their spectra beyond the
//   grid's, exp(-((2 pi - k) sigma)^2/2) = 4e-5 for each of six neighbours: 5e-4;
// - PMLs of 12 points: waves pass two of them at the ends of the periodic grid. At an angle a these
//   transmit exp(-2 (2/5) 12 cos a): 7e-5 at normal incidence, and 1e-3 at 45 degrees, where
//   waves are weak.
// The scheme is exact in a homogeneous medium, and its rounding is 1e-5. The tolerance is 1e-3.
TEST(FocusedBowlTest, AmplitudeOnAxis_MatchesONeil) {
  std::vector<int> axis;
  for (int z = 8; z <= 44; ++z)
    axis.push_back(z);
  const std::vector<double> found = amplitudes_on_the_axis(axis);
  test::AccuracyData data("bowl", "distance_mm,found,theory");
  double worst = 0;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    data.row({static_cast<double>(axis[i]), found[i], oneil(axis[i])});
    EXPECT_NEAR(found[i], oneil(axis[i]), 1e-3 * oneil(curvature)) << axis[i];
    worst = std::max(worst, std::abs(found[i] - oneil(axis[i])));
  }
  RecordProperty("largest_deviation", std::to_string(worst / oneil(curvature)));
}

} // namespace
