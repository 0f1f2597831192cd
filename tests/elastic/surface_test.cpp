// Compares waves at a free surface with Rayleigh's wave and Garvin's solution, and checks that
// noise does not grow.

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <vector>

#include "elastic/elastic_run.h"
#include "elastic/truth.h"

namespace hybridfft::elastic {
namespace {

using test::Material;
using test::Waves;

constexpr double pi = std::numbers::pi;
const double vp_of_poisson = std::sqrt(3.);

Problem half_space(const Index3 &cells, double dt, std::int64_t steps, Surface surface) {
  Problem p = test::unit_problem(cells, dt, steps, {true, true, false});
  p.surface = surface;
  return p;
}

Material poisson(Index, Index, Index) { return {}; }

/// Rayleigh's wave of wavenumber k in a half space with vs = rho = 1. At depth z the displacements
/// are ux = (k e^-az - b q e^-qz) sin(kx - wt) and uz = (-a e^-az + b k e^-qz) cos(kx - wt).
struct Rayleigh {
  explicit Rayleigh(double wavenumber)
      : k(wavenumber), c(test::rayleigh_speed(vp_of_poisson, 1)), w(k * c),
        a(k * std::sqrt(1 - c * c / 3)), q(k * std::sqrt(1 - c * c)),
        b(2 * k * a / (k * k + q * q)) {}

  double ux(double z) const { return k * std::exp(-a * z) - b * q * std::exp(-q * z); }
  double uz(double z) const { return a * std::exp(-a * z) - b * k * std::exp(-q * z); }
  double dux(double z) const { return -a * k * std::exp(-a * z) + b * q * q * std::exp(-q * z); }
  double duz(double z) const { return -a * a * std::exp(-a * z) + b * k * q * std::exp(-q * z); }

  /// Returns field f at depth z below the surface, for lambda = mu = 1.
  double operator()(int f, double x, double z, double t) const {
    const double phase = k * x - w * t;
    const double xx = k * ux(z), zz = duz(z);
    switch (f) {
    case vx:
      return -w * ux(z) * std::cos(phase);
    case vz:
      return w * uz(z) * std::sin(phase);
    case sxx:
      return (3 * xx + zz) * std::cos(phase);
    case syy:
      return (xx + zz) * std::cos(phase);
    case szz:
      return (xx + 3 * zz) * std::cos(phase);
    case sxz:
      return (dux(z) - k * uz(z)) * std::sin(phase);
    default:
      return 0;
    }
  }

  double k, c, w, a, q, b;
};

struct RayleighErrors {
  double speed, norm;
};

/// Returns errors after five periods in a strip of one wavelength.
RayleighErrors rayleigh_errors(Index points, Surface surface) {
  const Rayleigh wave(2 * pi / static_cast<double>(points));
  const double time = 5 * static_cast<double>(points) / wave.c;
  const auto steps =
      static_cast<std::int64_t>(std::ceil(time / (.5 * largest_time_step(1, vp_of_poisson))));
  const double dt = time / static_cast<double>(steps);
  Waves<double> run(MPI_COMM_SELF, half_space({{points, 1, 4 * points}}, dt, steps, surface),
                    poisson);
  for (const int f : {vx, vz, sxx, syy, szz, sxz})
    run.set(f, [&](double x, double, double z) {
      return wave(f, x, z + .5, f < velocities ? -dt / 2 : 0);
    });
  run.advance(steps);
  const double t = time - dt / 2;
  double error = 0, norm = 0;
  for (const int f : {vx, vz})
    for (Index i = 0; i < points; ++i)
      for (Index k = 0; k < 4 * points; ++k) {
        const auto o = Waves<double>::offset(f);
        const double expected =
            wave(f, static_cast<double>(i) + o[0], static_cast<double>(k) + o[2] + .5, t);
        error += std::pow(run.at(f, i, 0, k) - expected, 2);
        norm += expected * expected;
      }
  std::complex<double> found, expected;
  for (Index i = 0; i < points; ++i) {
    const auto turn = std::polar(1., -wave.k * static_cast<double>(i));
    found += run.at(vz, i, 0, -1) * turn;
    expected += wave(vz, static_cast<double>(i), 0, t) * turn;
  }
  return {-std::arg(found / expected) / (2 * pi * 5), std::sqrt(error / norm)};
}

/// Expected errors have two or three digits. The tolerance is 1 % plus half of the last digit.
TEST(ElasticSurface, RayleighWave_MatchesTheory) {
  const struct {
    Surface surface;
    Index points;
    double speed, speed_digits, norm, norm_digits;
  } cases[] = {
      {Surface::fs2, 6, -2.7e-2, 5e-4, 0, 0},  {Surface::fs2, 8, -1.41e-2, 5e-5, .45, .005},
      {Surface::fs2, 10, -8.6e-3, 5e-5, 0, 0}, {Surface::fs2, 16, -3.3e-3, 5e-5, .109, .0005},
      {Surface::fs4, 6, -7.0e-3, 5e-5, 0, 0},  {Surface::fs4, 8, -2.1e-3, 5e-5, .067, .0005},
      {Surface::fs4, 10, -7.5e-4, 5e-6, 0, 0}, {Surface::fs4, 16, -4.3e-5, 5e-7, .0014, .00005}};
  for (const auto &c : cases) {
    const RayleighErrors found = rayleigh_errors(c.points, c.surface);
    const std::string where =
        (c.surface == Surface::fs2 ? "fs2 " : "fs4 ") + std::to_string(c.points);
    EXPECT_NEAR(found.speed, c.speed, .01 * std::abs(c.speed) + c.speed_digits) << where;
    if (c.norm > 0) {
      EXPECT_NEAR(found.norm, c.norm, .01 * c.norm + c.norm_digits) << where;
    }
  }
}

struct GarvinErrors {
  double both, vx, vz;
};

/// Returns errors for a line explosion 8.5 cells deep and a receiver on the surface 40 cells away.
GarvinErrors garvin_errors(Surface surface) {
  const Index depth = 8, distance = 40, c = 60;
  const double width = 2, dt = .6 * largest_time_step(1, vp_of_poisson);
  const test::Gaussian rate{width, 4 * width};
  const auto steps = static_cast<std::int64_t>((distance / .9 + 8 * width) / dt);
  const Problem problem = half_space({{180, 1, 90}}, dt, steps, surface);
  Waves<double> run(MPI_COMM_SELF, problem, poisson,
                    test::moment(problem, {{c, 0, depth}}, {1, 1, 1, 0, 0, 0}, rate));
  std::vector<double> found_x, found_z, times;
  run->begin();
  for (std::int64_t n = 0; n < steps; ++n) {
    run->step(n);
    const Index i = c + distance;
    // Extrapolates to the surface by a cubic, from points half a cell below it and deeper.
    found_x.push_back((35 * run.at(vx, i, 0, 0) - 35 * run.at(vx, i, 0, 1) +
                       21 * run.at(vx, i, 0, 2) - 5 * run.at(vx, i, 0, 3)) /
                      16);
    found_z.push_back(run.at(vz, i, 0, -1));
    times.push_back((static_cast<double>(n) + .5) * dt);
  }
  run->settle();
  const auto truth_x = test::garvin(distance + .5, depth + .5, times, vp_of_poisson, 1, 1, rate)[0];
  const auto truth_z = test::garvin(distance, depth + .5, times, vp_of_poisson, 1, 1, rate)[1];
  double ex = 0, ez = 0, nx = 0, nz = 0;
  for (std::size_t n = 0; n < times.size(); ++n) {
    ex += std::pow(found_x[n] - truth_x[n], 2);
    ez += std::pow(found_z[n] - truth_z[n], 2);
    nx += std::pow(truth_x[n], 2);
    nz += std::pow(truth_z[n], 2);
  }
  return {std::sqrt((ex + ez) / (nx + nz)), std::sqrt(ex / nx), std::sqrt(ez / nz)};
}

TEST(ElasticSurface, GarvinsProblem_MatchesSolution) {
  const GarvinErrors second = garvin_errors(Surface::fs2), fourth = garvin_errors(Surface::fs4);
  EXPECT_LE(second.both, 1.1 * 1.9e-2);
  EXPECT_LE(second.vx, 1.1 * 1.8e-2);
  EXPECT_LE(second.vz, 1.1 * 2.5e-2);
  EXPECT_LE(fourth.both, 1.1 * 1.4e-2);
  EXPECT_LE(fourth.vx, 1.1 * 1.6e-2);
  EXPECT_LE(fourth.vz, 1.1 * 4.6e-3);
}

/// Returns the growth of noise at 0.9 of the largest stable time step: the maximum velocity after
/// `steps` over its value after `early` steps.
/// \param ratio vp/vs of a uniform medium; 0: a random medium
double growth(Surface surface, double ratio, std::int64_t steps, std::int64_t early) {
  const Index3 n{{14, 1, 20}};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Material> cells(static_cast<std::size_t>(n[0] * n[2]), {ratio, 1, 1});
  double fastest = ratio;
  if (ratio == 0) // speeds vary from cell to cell
    for (Material &m : cells) {
      m.vs = .3 + .7 * uniform(random);
      m.vp = m.vs * (1.5 + 1.5 * uniform(random));
      m.rho = 1 + uniform(random);
      fastest = std::max(fastest, m.vp);
    }
  Waves<double> run(
      MPI_COMM_SELF, half_space(n, .9 * largest_time_step(1, fastest), steps, surface),
      [&](Index i, Index, Index k) { return cells[static_cast<std::size_t>(i * n[2] + k)]; });
  std::normal_distribution<double> normal;
  for (int v = 0; v < velocities; ++v)
    run.set(v, [&](double, double, double z) { return z < -.25 ? 0 : normal(random); });
  const auto largest = [&] {
    return std::max({run.largest(vx), run.largest(vy), run.largest(vz)});
  };
  run.advance(early);
  const double first = largest();
  run.advance(steps - early, early);
  return largest() / first;
}

TEST(ElasticSurface, Noise_DoesNotGrow) {
  for (const Surface surface : {Surface::fs2, Surface::fs4})
    for (const double ratio : {1.43, 1.73, 5.})
      EXPECT_LE(growth(surface, ratio, 800, 80), 1.5) << ratio;
  EXPECT_LE(growth(Surface::fs2, 0, 4000, 400), 1.5);
}

TEST(ElasticSurfaceSlow, LongRun_NoiseDoesNotGrow) {
  for (const Surface surface : {Surface::fs2, Surface::fs4})
    for (const double ratio : {1.43, 1.73, 5.})
      EXPECT_LE(growth(surface, ratio, 50000, 80), 1.5) << ratio;
  EXPECT_LE(growth(Surface::fs2, 0, 50000, 400), 1.5);
}

} // namespace
} // namespace hybridfft::elastic
