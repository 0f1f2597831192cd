// Compares one sweep for velocities and stresses with two sweeps, bit for bit. The single sweep is
// a wave front through planes and rows, so a wrong order would read too new or too old values. Rows
// computed by vectors of all widths are compared with single points.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "elastic/elastic_run.h"
#include "solvers/elastic/sweep.h"

namespace hybridfft::elastic {
namespace {

using test::Waves;

/// Returns a pseudorandom number from 0 to 1 for a cell and `salt`.
double noise(Index i, Index j, Index k, int salt) {
  const auto n = static_cast<std::uint64_t>((i * 73 + j) * 131 + k) * 2654435761U +
                 static_cast<std::uint64_t>(salt) * 40503U;
  return static_cast<double>(n * 6364136223846793005U >> 40) / static_cast<double>(1U << 24);
}

test::Material medium(Index i, Index j, Index k) {
  const double vs = 1 + .5 * noise(i, j, k, 1);
  return {1.8 * vs, vs, 1 + .4 * noise(i, j, k, 2)};
}

struct Shape {
  Index3 cells;
  int threads;
};

/// Returns grids and numbers of threads for which the ends of tiles and of threads' ranges have all
/// distances from the sources.
std::vector<Shape> shapes() {
  return {{{{40, 37, 33}}, 1},  {{{40, 37, 33}}, 3}, {{{9, 21, 16}}, 4}, {{{5, 1, 7}}, 2},
          {{{3, 2, 19}}, 5},    {{{1, 9, 5}}, 2},    {{{4, 3, 4}}, 8},   {{{9, 900, 6}}, 2},
          {{{12, 27, 400}}, 2}, {{{7, 10, 500}}, 3}};
}

Problem problem_of(const Index3 &cells, Surface surface, bool quality) {
  Problem p = test::unit_problem(cells, .15, 5, {false, false, false});
  p.surface = surface;
  p.sponge = {2, .9};
  if (quality) p.quality = Quality{60, 40, .01, .2, .05};
  return p;
}

/// Returns sources of every kind in many cells. Some are adjacent, and some points have two: one is
/// added, one replaces the value.
Sources sources_of(const Problem &p) {
  Sources s;
  s.signals = 2;
  for (std::int64_t n = 0; n < p.steps - 1; ++n) // the last step has none
    for (int signal = 0; signal < s.signals; ++signal)
      s.samples.push_back(noise(n, signal, 0, 3) - .5);
  const Index top = p.planes_above();
  for (Index i = 0; i < p.cells[0]; ++i)
    for (Index j = 0; j < p.cells[1]; j += 1 + j / 40)
      for (Index k = i % 2; k < p.cells[2]; k += 3) {
        const auto field = static_cast<int>((i + 2 * j + k) % fields);
        for (const bool replace : {false, true})
          if (noise(i, j, k, 4) < (replace ? .3 : .6))
            s.drives.push_back(
                {field, {{i, j, k + top}}, .7 + noise(i, j, k, 5), (i + k) % 2, replace});
      }
  return s;
}

template <class Real> void start(Waves<Real> &waves) {
  for (int f = 0; f < fields; ++f)
    waves.set(f, [f](double x, double y, double z) {
      return noise(static_cast<Index>(2 * x + 2), static_cast<Index>(2 * y + 2),
                   static_cast<Index>(2 * z + 2), 6 + f) -
             .5;
    });
}

/// Returns the number of different values in all fields and memory variables.
template <class Real> Index differences(Waves<Real> &a, Waves<Real> &b) {
  Index found = 0;
  const auto compare = [&](grid::Array<Real> &x, grid::Array<Real> &y) {
    const grid::View<Real> v = x.view(), w = y.view();
    const grid::Box box = a->box();
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          found += std::memcmp(&v(i, j, k), &w(i, j, k), sizeof(Real)) != 0;
  };
  for (int f = 0; f < fields; ++f)
    compare(a->field(f), b->field(f));
  for (int s = 0; s < a->memories(); ++s)
    compare(a->memory(s), b->memory(s));
  return found;
}

template <class Real>
void expect_the_same(const Problem &problem, Method method, const std::string &what) {
  const Sources sources = sources_of(problem);
  Waves<Real> separate(MPI_COMM_SELF, problem, medium, sources,
                       {.exchange = method.exchange, .sweeps = Sweeps::separate});
  Waves<Real> fused(MPI_COMM_SELF, problem, medium, sources, method);
  for (Waves<Real> *waves : {&separate, &fused}) {
    start(*waves);
    waves->advance(problem.steps);
  }
  EXPECT_EQ(differences(separate, fused), 0) << what;
}

std::string text(const Shape &shape, Surface surface) {
  return std::to_string(shape.cells[0]) + " x " + std::to_string(shape.cells[1]) + " x " +
         std::to_string(shape.cells[2]) + ", " + std::to_string(shape.threads) +
         " threads, surface " + std::to_string(static_cast<int>(surface));
}

TEST(ElasticFused, NoAttenuation_SameBitsAsTwoSweeps) {
  for (const Shape &shape : shapes())
    for (const Surface surface : {Surface::none, Surface::fs2, Surface::fs4}) {
      if (shape.cells[2] < 4 && surface != Surface::none) continue;
      const Problem problem = problem_of(shape.cells, surface, false);
      Method method{.threads = shape.threads, .sweeps = Sweeps::fused};
      expect_the_same<float>(problem, method, text(shape, surface));
      method.profile = true;
      expect_the_same<double>(problem, method, text(shape, surface));
    }
}

TEST(ElasticFused, MemoryVariables_SameBits) {
  for (const Shape &shape : shapes()) {
    const Problem problem = problem_of(shape.cells, Surface::fs2, true);
    const Method method{.threads = shape.threads, .sweeps = Sweeps::fused};
    expect_the_same<float>(problem, method, text(shape, Surface::fs2));
    expect_the_same<double>(problem, method, text(shape, Surface::fs2));
  }
}

/// A single rank is its own neighbour along periodic axes. Velocities at its boundaries are
/// computed before the interior, and stresses after it.
/// With GhostExchange::wide, velocities and stresses have boundaries of different sizes.
TEST(ElasticFused, PeriodicAxes_SameBits) {
  for (const Index3 &cells : {Index3{{24, 21, 18}}, Index3{{9, 8, 7}}, Index3{{4, 5, 30}}})
    for (const GhostExchange exchange :
         {GhostExchange::each, GhostExchange::wide, GhostExchange::least}) {
      Problem problem = problem_of(cells, Surface::fs2, false);
      problem.periodic = {true, true, false};
      const Method method{.exchange = exchange,
                          .schedule = grid::Schedule::in_order,
                          .threads = 3,
                          .sweeps = Sweeps::fused};
      expect_the_same<float>(problem, method,
                             text({cells, 3}, Surface::fs2) + ", exchange " +
                                 std::to_string(static_cast<int>(exchange)));
    }
}

/// The parts of a sweep's profile add up to the elapsed time.
TEST(ElasticFused, Profile_HasAllParts) {
  const Problem problem = problem_of({{40, 37, 33}}, Surface::fs2, false);
  Waves<float> waves(MPI_COMM_SELF, problem, medium, sources_of(problem),
                     {.threads = 2, .profile = true, .sweeps = Sweeps::fused});
  double elapsed = 0;
  {
    const Timed timed(elapsed);
    waves.advance(problem.steps);
  }
  const StepTimes p = waves->profile();
  for (const double part : {p.velocity, p.stress, p.surface, p.sources})
    EXPECT_GT(part, 0);
  EXPECT_LE(p.velocity + p.stress + p.surface + p.sources, elapsed * (1 + 1e-9));
}

/// Pseudorandom arrays for a kernel, and a profile along an axis with the value 0.75 everywhere.
template <class Real> struct Arrays {
  explicit Arrays(Index length) : box({{0, 0, 1}}, {{2, 2, 1 + length}}) {
    std::vector<Real> numbers(static_cast<std::size_t>(length) + 9, Real(.75));
    profile = numbers;
    for (int n = 0; n < 18; ++n) {
      arrays.emplace_back(grid::Place::host, box, grid::Widths::all(2), 1, grid::Alignment{0, n});
      const grid::View<Real> v = arrays.back().view();
      const grid::Box all = arrays.back().box();
      for (Index i = all.lo[0]; i < all.hi[0]; ++i)
        for (Index j = all.lo[1]; j < all.hi[1]; ++j)
          for (Index k = all.lo[2]; k < all.hi[2]; ++k)
            v(i, j, k) = static_cast<Real>(.1 + noise(i + 2, j + 2, k + 2, n));
    }
  }
  Real *at(int n) { return arrays[static_cast<std::size_t>(n)].view().origin(); }
  const Real *numbers() const { return profile.data() + 4; }

  grid::Box box;
  std::vector<Real> profile;
  std::vector<grid::Array<Real>> arrays;
};

/// Sets the parameters that kernels of velocities and stresses share.
template <class Kernel, class Real> void make_common(Kernel &kernel, Arrays<Real> &a) {
  kernel.lattice = grid::Lattice(a.arrays.front().view());
  kernel.d = {Real(.3), Real(-.02)};
  kernel.damping = {a.numbers(), a.numbers(), a.numbers()};
  for (int v = 0; v < velocities; ++v)
    kernel.v[v] = a.at(v);
  for (int s = 0; s < stresses; ++s)
    kernel.s[s] = a.at(velocities + s);
}

template <class Real> void make(kernels::Velocity<Real> &kernel, Arrays<Real> &a) {
  make_common(kernel, a);
  kernel.rho = a.at(fields);
}

template <class Real> void make(kernels::Stress<Real> &kernel, Arrays<Real> &a) {
  make_common(kernel, a);
  kernel.moduli = {a.at(fields + 1), a.at(fields + 2)};
}

template <class Real> void make(kernels::AnelasticStress<Real> &kernel, Arrays<Real> &a) {
  make(kernel.elastic, a);
  for (auto &odd : kernel.relaxation.odd)
    odd = a.numbers();
  for (int row = 0; row < 4; ++row)
    kernel.relaxation.weight[row] = kernel.relaxation.gain[row] = kernel.relaxation.decay[row] =
        a.numbers();
  kernel.quality.all.unrelaxed_p = Real(1.1);
  kernel.quality.all.unrelaxed_s = Real(1.2);
  kernel.quality.all.inverse_p = kernel.quality.all.inverse_s = Real(.02);
  for (int s = 0; s < stresses; ++s)
    kernel.memory[s] = a.at(fields + 3 + s);
}

/// Returns all arrays after a kernel has computed rows of this length, at once or point by point.
template <class Kernel>
std::vector<typename Kernel::Value> values_after(RowFunction<Kernel> rows, Index length,
                                                 bool single) {
  Arrays<typename Kernel::Value> a(length);
  Kernel kernel{};
  make(kernel, a);
  if (!single) rows(kernel, a.box);
  for (Index k = a.box.lo[2]; single && k < a.box.hi[2]; ++k) {
    // A point never reads the result of another one, so the order is free.
    grid::Box point = a.box;
    point.lo[2] = k;
    point.hi[2] = k + 1;
    rows(kernel, point);
  }
  std::vector<typename Kernel::Value> all;
  for (auto &array : a.arrays) {
    const auto v = std::as_const(array).view();
    const grid::Box box = array.box();
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          all.push_back(v(i, j, k));
  }
  return all;
}

template <class Kernel> void expect_the_same_rows() {
  for (const Index length : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 47, 65}) {
    const auto expected = values_after<Kernel>(row_functions<Kernel>().back(), length, true);
    for (const RowFunction<Kernel> rows : row_functions<Kernel>()) {
      const auto found = values_after<Kernel>(rows, length, false);
      ASSERT_EQ(found.size(), expected.size());
      EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(found[0])), 0)
          << length << " points";
    }
  }
}

/// The vectors of each instruction set of this processor compute complete rows, with their ends.
/// The results equal those of single points.
TEST(ElasticRows, AllVectors_SameBits) {
  expect_the_same_rows<kernels::Velocity<float>>();
  expect_the_same_rows<kernels::Velocity<double>>();
  expect_the_same_rows<kernels::Stress<float>>();
  expect_the_same_rows<kernels::Stress<double>>();
  expect_the_same_rows<kernels::AnelasticStress<float>>();
  expect_the_same_rows<kernels::AnelasticStress<double>>();
}

} // namespace
} // namespace hybridfft::elastic
