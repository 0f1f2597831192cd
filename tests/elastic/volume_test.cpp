// Compares waves in the volume with exact solutions. Solutions of the difference equations agree up
// to rounding. Solutions of the differential equations agree up to errors of fourth order in space
// and second order in time.

#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "elastic/elastic_run.h"
#include "elastic/truth.h"

namespace hybridfft::elastic {
namespace {

using hybridfft::test::world;
using test::Vector;
using test::Waves;

constexpr double pi = std::numbers::pi;

/// Returns the numerical wavenumber of exp(i k x): the scheme's difference multiplies this wave by
/// i times the number (h = 1).
double wavenumber(double k) { return 2 * (near * std::sin(k / 2) + far * std::sin(3 * k / 2)); }

/// A plane wave that solves the difference equations, with motion along `a` and wave vector k.
struct PlaneWave {
  Vector k, a;
  double omega, dt, lambda, mu;

  double operator()(int f, double x, double y, double z, double step) const {
    Vector kk;
    for (std::size_t n = 0; n < 3; ++n)
      kk[n] = wavenumber(k[n]);
    const double t = f < velocities ? (step - .5) * dt : step * dt;
    const double wave = std::cos(k[0] * x + k[1] * y + k[2] * z - omega * t);
    if (f < velocities) return a[static_cast<std::size_t>(f)] * wave;
    const auto [p, q] = stress_axes[static_cast<std::size_t>(f - velocities)];
    const auto i = static_cast<std::size_t>(p), j = static_cast<std::size_t>(q);
    const double dot = kk[0] * a[0] + kk[1] * a[1] + kk[2] * a[2];
    const double sigma = (p == q ? lambda * dot : 0) + mu * (kk[i] * a[j] + kk[j] * a[i]);
    return -sigma / (2 / dt * std::sin(omega * dt / 2)) * wave;
  }
};

Vector unit(Vector v) {
  const double length = std::hypot(v[0], v[1], v[2]);
  for (double &x : v)
    x /= length;
  return v;
}

Problem periodic(const Index3 &cells, double dt, std::int64_t steps) {
  return test::unit_problem(cells, dt, steps, {true, true, true});
}

template <class Real> void expect_exact_plane_waves(double tolerance) {
  const double vp = 1.8, vs = 1, rho = 1.3, dt = .5 * largest_time_step(1, vp);
  const Problem problem = periodic({{24, 20, 16}}, dt, 200);
  const Vector k{2 * pi * 2 / 24, 2 * pi / 20, 2 * pi / 16};
  const Vector kk{wavenumber(k[0]), wavenumber(k[1]), wavenumber(k[2])};
  const Vector across = unit({kk[1] * .8 + kk[2] * .5, kk[2] * .3 - kk[0] * .8,
                              -kk[0] * .5 - kk[1] * .3}); // kk x (0.3, -0.5, 0.8)
  for (const bool shear : {false, true}) {
    const double size = std::hypot(kk[0], kk[1], kk[2]), c = shear ? vs : vp;
    const PlaneWave wave{k,  shear ? across : unit(kk),     2 / dt * std::asin(c * size * dt / 2),
                         dt, rho * (vp * vp - 2 * vs * vs), rho * vs * vs};
    Waves<Real> run(
        world(), problem,
        [&](Index, Index, Index) {
          return test::Material{vp, vs, rho};
        },
        {}, {}, grid::even_cuts(problem.extents(), {{1, hybridfft::test::size_of(world()), 1}}));
    for (int f = 0; f < fields; ++f)
      run.set(f, [&](double x, double y, double z) { return wave(f, x, y, z, 0); });
    run.advance(200);
    double stress = 0;
    for (int f = velocities; f < fields; ++f)
      stress = std::max(stress, run.largest(f));
    for (int f = 0; f < fields; ++f)
      EXPECT_LE(
          run.deviation(f, [&](double x, double y, double z) { return wave(f, x, y, z, 200); }),
          tolerance * (f < velocities ? 1 : stress))
          << (shear ? "S " : "P ") << field_names[static_cast<std::size_t>(f)];
  }
}

TEST(ElasticVolume, PlaneWaves_SolveDifferenceEquations) {
  expect_exact_plane_waves<double>(1e-12);
  expect_exact_plane_waves<float>(1e-4);
}

/// The speed of a wave along an axis follows from its phase after a whole number of steps. The
/// discrete solution is exact (above), so the remaining error is the dispersion, -2.3e-2 ...
/// -4.0e-4.
TEST(ElasticVolume, ShearWaves_HaveSpeedsOfScheme) {
  const double vp = 1.8, dt = .5 * largest_time_step(1, vp);
  const struct {
    Index points;
    double error, digits;
  } expected[] = {{4, -2.3e-2, 5e-4}, {6, -4.4e-3, 5e-5}, {8, -1.2e-3, 5e-5}, {10, -4.0e-4, 5e-6}};
  for (const auto &[points, error, digits] : expected) {
    const Problem problem = periodic({{points, 1, 1}}, dt, 400);
    Waves<double> run(MPI_COMM_SELF, problem, [&](Index, Index, Index) {
      return test::Material{vp, 1, 1};
    });
    const double k = 2 * pi / static_cast<double>(points);
    // A wave along x with motion along y that solves the difference equations.
    const PlaneWave wave{{k, 0, 0}, {0, 1, 0}, 2 / dt * std::asin(wavenumber(k) * dt / 2),
                         dt,        1,         1};
    for (int f = 0; f < fields; ++f)
      run.set(f, [&](double x, double y, double z) { return wave(f, x, y, z, 0); });
    run.advance(400);
    std::complex<double> amplitude = 0;
    for (Index i = 0; i < points; ++i)
      amplitude += run.at(vy, i, 0, 0) * std::polar(1., k * static_cast<double>(i));
    // The expected speed gives the number of full turns of the phase.
    const double turns = (1 + error) * k * 399.5 * dt / (2 * pi),
                 part = std::arg(amplitude) / (2 * pi);
    const double speed = (std::round(turns - part) + part) * 2 * pi / (k * 399.5 * dt);
    const double scheme = 2 / (k * dt) * std::asin(wavenumber(k) * dt / 2);
    EXPECT_NEAR(speed - 1, scheme - 1, .01 * std::abs(scheme - 1)) << points;
    EXPECT_NEAR(scheme - 1, error, .01 * std::abs(error) + digits) << points;
  }
}

/// A random medium in a periodic box.
struct RandomCells {
  Index3 n;
  std::vector<test::Material> cells;
  double fastest = 0;

  RandomCells(const Index3 &extents, std::mt19937 &random)
      : n(extents), cells(static_cast<std::size_t>(n[0] * n[1] * n[2])) {
    std::uniform_real_distribution<double> uniform(0, 1);
    for (test::Material &m : cells) {
      m.vs = 1 + .5 * uniform(random);
      m.vp = m.vs * (1.6 + .4 * uniform(random));
      m.rho = 1 + uniform(random);
      fastest = std::max(fastest, m.vp);
    }
  }
  const test::Material &operator()(Index i, Index j, Index k) const {
    return cells[static_cast<std::size_t>((i % n[0] * n[1] + j % n[1]) * n[2] + k % n[2])];
  }
  double shear(Index i, Index j, Index k) const {
    const test::Material &m = (*this)(i, j, k);
    return m.rho * m.vs * m.vs;
  }
};

using Values = std::vector<std::vector<double>>; ///< the values of each field

/// Returns the energy conserved by the scheme. Its kinetic part has products of the velocities
/// before and after a step; its elastic part has the stresses between them in time.
double energy(const RandomCells &m, const Values &before, const Values &after) {
  double sum = 0;
  std::size_t n = 0;
  for (Index i = 0; i < m.n[0]; ++i)
    for (Index j = 0; j < m.n[1]; ++j)
      for (Index k = 0; k < m.n[2]; ++k, ++n) {
        const Index next[3][3] = {{i + 1, j, k}, {i, j + 1, k}, {i, j, k + 1}};
        const Index across[3][3] = {{i + 1, j + 1, k}, {i + 1, j, k + 1}, {i, j + 1, k + 1}};
        const test::Material &here = m(i, j, k);
        const auto inverse = [&](const Index *at) { return 1 / m.shear(at[0], at[1], at[2]); };
        for (std::size_t a = 0; a < 3; ++a) {
          const auto [x, y, z] = next[a];
          sum += .25 * (here.rho + m(x, y, z).rho) * before[a][n] * after[a][n];
        }
        const double mu = m.shear(i, j, k), lambda = here.rho * here.vp * here.vp - 2 * mu;
        double trace = 0, squares = 0;
        for (std::size_t s = sxx; s <= szz; ++s) {
          trace += before[s][n];
          squares += before[s][n] * before[s][n];
        }
        sum +=
            .5 * (squares / (2 * mu) - lambda / (2 * mu * (3 * lambda + 2 * mu)) * trace * trace);
        for (std::size_t s = sxy; s <= syz; ++s) {
          const auto [p, q] = stress_axes[s - velocities];
          const double mean =
              (1 / mu + inverse(next[p]) + inverse(next[q]) + inverse(across[p + q - 1])) / 4;
          sum += .5 * before[s][n] * before[s][n] * mean;
        }
      }
  return sum;
}

TEST(ElasticVolume, NoLosses_EnergyIsConstant) {
  std::mt19937 random(7);
  const RandomCells cells({{18, 15, 12}}, random);
  Waves<double> run(MPI_COMM_SELF, periodic(cells.n, .9 * largest_time_step(1, cells.fastest), 300),
                    [&](Index i, Index j, Index k) { return cells(i, j, k); });
  std::normal_distribution<double> normal;
  for (int v = 0; v < velocities; ++v)
    run.set(v, [&](double, double, double) { return normal(random); });
  const auto all = [&] {
    Values values;
    for (int f = 0; f < fields; ++f)
      values.push_back(run.values(f));
    return values;
  };
  Values before = all();
  double first = 0;
  for (std::int64_t n = 0; n < 300; ++n) {
    run.advance(1, n);
    Values after = all();
    const double now = energy(cells, before, after);
    if (n == 0) first = now;
    ASSERT_NEAR(now / first, 1, 1e-12) << n;
    before = std::move(after);
  }
}

/// Returns the relative error of a point source at a receiver, over all components and times.
double source_error(Index n, double width, const Index3 &offset, const test::Tensor &tensor) {
  const double vp = std::sqrt(3.), dt = .87 * largest_time_step(1, vp);
  const test::Gaussian rate{width, 4 * width};
  const double r = std::hypot(offset[0], offset[1], offset[2]);
  Problem problem = periodic({{n, n, n}}, dt, static_cast<std::int64_t>((r + 8 * width) / dt));
  const Index c = n / 2;
  Waves<double> run(
      world(), problem, [](Index, Index, Index) { return test::Material(); },
      test::moment(problem, {{c, c, c}}, tensor, rate));
  double error = 0, truth = 0;
  run->begin();
  for (std::int64_t step = 0; step < problem.steps; ++step) {
    run->step(step);
    for (int v = 0; v < velocities; ++v) {
      Vector x{};
      for (std::size_t a = 0; a < 3; ++a)
        x[a] = static_cast<double>(offset.along[a]) + Waves<double>::offset(v)[a];
      const double expected = test::full_space(tensor, x, (static_cast<double>(step) + .5) * dt, vp,
                                               1, 1, rate)[static_cast<std::size_t>(v)];
      const double found = run.at(v, c + offset[0], c + offset[1], c + offset[2]);
      error += (found - expected) * (found - expected);
      truth += expected * expected;
    }
  }
  run->settle();
  return std::sqrt(error / truth);
}

constexpr test::Tensor explosion{1, 1, 1, 0, 0, 0}, couple{0, 0, 0, 1, 0, 0},
    full{.3, -.9, .6, .5, -.2, .6};

TEST(ElasticVolume, MomentTensor_MatchesFullSpace) {
  EXPECT_LE(source_error(48, 1.5, {{8, 5, 3}}, explosion), 1.5e-2);
  EXPECT_LE(source_error(48, 1.5, {{8, 5, 3}}, couple), 6.2e-2);
  EXPECT_LE(source_error(48, 1.5, {{8, 5, 3}}, full), 7.8e-2);
}

TEST(ElasticVolumeSlow, FinerMomentTensor_MatchesFullSpace) {
  EXPECT_LE(source_error(64, 2, {{11, 7, 4}}, explosion), 1.1 * 8.3e-3);
  EXPECT_LE(source_error(64, 2, {{11, 7, 4}}, couple), 1.1 * 3.5e-2);
  EXPECT_LE(source_error(64, 2, {{11, 7, 4}}, full), 1.1 * 4.0e-2);
}

} // namespace
} // namespace hybridfft::elastic
