/// Compares spectral operators, between all kinds of layouts, with transforms by their definition.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "support/expect_error.h"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"

namespace hybridfft {
namespace {

using Numbers = std::vector<std::ptrdiff_t>;
using Complex = std::complex<double>;

std::ptrdiff_t product(const Numbers &n) {
  std::ptrdiff_t p = 1;
  for (const std::ptrdiff_t i : n)
    p *= i;
  return p;
}

/// Returns a number between -1 and 1 for each point, exact in single precision.
double value(std::ptrdiff_t point, int part = 0) {
  const auto mixed = static_cast<std::uint32_t>(point * 2 + part + 1) * 2654435761U;
  return static_cast<float>((mixed >> 8) % 65536) / 32768.0 - 1;
}

std::ptrdiff_t flat(const Numbers &n, const std::ptrdiff_t *at) {
  std::ptrdiff_t p = 0;
  for (std::size_t a = 0; a < n.size(); ++a)
    p = p * n[a] + at[a];
  return p;
}

/// Returns the wave number of a bin; bins of the second half have negative ones.
std::ptrdiff_t wave(std::ptrdiff_t bin, std::ptrdiff_t n) { return 2 * bin > n ? bin - n : bin; }

/// Returns the factor of a bin, different along all axes. Factors of opposite waves are conjugate,
/// as in the spectrum of a real function.
Complex factor(const Numbers &waves, const Numbers &n) {
  double decay = 1, turns = 0;
  for (std::size_t a = 0; a < n.size(); ++a) {
    const auto k = static_cast<double>(waves[a]);
    decay += (0.3 + 0.2 * static_cast<double>(a)) * k * k;
    if (2 * std::abs(waves[a]) != n[a])
      turns += k * (0.5 + static_cast<double>(a)) / static_cast<double>(n[a]);
  }
  return std::polar(1 / decay, 2 * std::numbers::pi * turns);
}

/// Transforms an array along one axis by the definition.
void transform(std::vector<Complex> &values, const Numbers &n, std::size_t axis, int sign) {
  std::ptrdiff_t step = 1;
  for (std::size_t a = axis + 1; a < n.size(); ++a)
    step *= n[a];
  std::vector<Complex> line(static_cast<std::size_t>(n[axis]));
  for (std::ptrdiff_t first = 0; first < product(n); ++first) {
    if (first / step % n[axis] != 0) continue;
    for (std::ptrdiff_t k = 0; k < n[axis]; ++k) {
      Complex sum = 0;
      for (std::ptrdiff_t j = 0; j < n[axis]; ++j)
        sum += values[static_cast<std::size_t>(first + j * step)] *
               std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(j * k % n[axis]) /
                                   static_cast<double>(n[axis]));
      line[static_cast<std::size_t>(k)] = sum;
    }
    for (std::ptrdiff_t k = 0; k < n[axis]; ++k)
      values[static_cast<std::size_t>(first + k * step)] = line[static_cast<std::size_t>(k)];
  }
}

/// A case of the test: extents of the grid, axes (empty: all), modes (empty: all).
struct Case {
  Numbers n;
  std::vector<int> axes = {};
  Numbers modes = {};
};

/// Returns the operator's result on the complete grid, for the real field value(p) or the complex
/// field value(p) + i value(p, 1).
std::vector<Complex> expected(const Case &c, bool real) {
  const Numbers &n = c.n;
  std::vector<Complex> values(static_cast<std::size_t>(product(n)));
  for (std::size_t p = 0; p < values.size(); ++p)
    values[p] = {value(static_cast<std::ptrdiff_t>(p)),
                 real ? 0 : value(static_cast<std::ptrdiff_t>(p), 1)};
  std::vector<bool> transformed(n.size(), c.axes.empty());
  for (const int axis : c.axes)
    transformed[static_cast<std::size_t>(axis)] = true;
  for (std::size_t a = 0; a < n.size(); ++a)
    if (transformed[a]) transform(values, n, a, -1);
  const Numbers &modes = c.modes.empty() ? n : c.modes;
  for (std::ptrdiff_t p = 0; p < product(n); ++p) {
    Numbers waves(n.size());
    std::ptrdiff_t rest = p;
    bool kept = true;
    for (std::size_t a = n.size(); a-- > 0;) {
      waves[a] = transformed[a] ? wave(rest % n[a], n[a]) : 0;
      if (modes[a] < n[a] && 2 * std::abs(waves[a]) >= modes[a]) kept = false;
      rest /= n[a];
    }
    values[static_cast<std::size_t>(p)] *= kept ? factor(waves, modes) : 0;
  }
  for (std::size_t a = 0; a < n.size(); ++a)
    if (transformed[a]) transform(values, n, a, 1);
  return values;
}

/// Two layouts of a grid, with a name.
struct Pair {
  std::string name;
  Layout in, out;
};

std::vector<int> parts(std::size_t dimensions, std::vector<int> some) {
  some.resize(dimensions, 1);
  return some;
}

std::vector<Pair> pairs(const Numbers &n, int ranks) {
  const std::size_t d = n.size();
  const int two = ranks % 2 == 0 ? 2 : 1;
  std::vector<Pair> list;
  const Layout slab = Layout::grid(n, parts(d, {ranks}));
  list.push_back({"slabs", slab, slab});
  if (d < 2) return list;
  const Layout padded = Layout::slab(n, ranks, {.last_padding = 2 * (n.back() / 2 + 1) - n.back()});
  list.push_back({"padded slabs", padded, padded});
  const Layout along1 = Layout::grid(n, parts(d, {1, ranks}));
  list.push_back({"slabs along axis 1", along1, along1});
  list.push_back({"slabs to others", slab, along1});
  const Layout pencils = Layout::grid(n, parts(d, {ranks / two, two}));
  list.push_back({"pencils", pencils, pencils});
  Numbers first(n.size(), 0);
  std::vector<IndexBox>
      boxes; // all points are on the last rank, except for a plane on the first one
  for (int r = 0; r < ranks; ++r) {
    IndexBox box{first, n};
    const std::ptrdiff_t cut = ranks > 1 ? 1 : 0;
    box.start[0] = r == 0 && ranks > 1 ? 0 : cut;
    box.count[0] = r == 0 && ranks > 1 ? 1 : (r == ranks - 1 ? n[0] - cut : 0);
    boxes.push_back(box);
  }
  list.push_back({"boxes", Layout::boxes(n, boxes), pencils});
  if (d < 3) return list;
  Layout::Options reversed;
  for (std::size_t a = d; a-- > 0;)
    reversed.order.push_back(static_cast<int>(a));
  const int four = ranks % 4 == 0 ? 2 : 1;
  const Layout bricks = Layout::grid(n, parts(d, {ranks / two / four, two, four}));
  const Layout across = Layout::grid(n, parts(d, {1, two, ranks / two}), reversed);
  list.push_back({"bricks", bricks, bricks});
  list.push_back({"pencils across", across, across});
  list.push_back({"bricks to pencils", bricks, across});
  return list;
}

template <class T> Complex as_complex(const T &v) {
  return {static_cast<double>(std::real(v)), static_cast<double>(std::imag(v))};
}

template <class Bin> auto multiply_by_factors(const Case &c) {
  const Numbers bins = c.modes.empty() ? c.n : c.modes;
  std::vector<bool> transformed(bins.size(), c.axes.empty());
  for (const int axis : c.axes)
    transformed[static_cast<std::size_t>(axis)] = true;
  return [bins, transformed](const auto &line) {
    Numbers at(line.first, line.first + bins.size());
    for (std::ptrdiff_t i = 0; i < line.count; ++i) {
      Numbers waves = at;
      for (std::size_t a = 0; a < bins.size(); ++a)
        waves[a] = transformed[a] ? wave(at[a], bins[a]) : 0;
      line.values[i] *= static_cast<Bin>(factor(waves, bins));
      ++at[static_cast<std::size_t>(line.axis)];
    }
  };
}

/// Fills the points of a field, and sets the padding between them to NaN.
template <class Field> void fill(Buffer<Field> &field, const LayoutView &view, const Numbers &n) {
  Numbers at(n.size());
  for (std::ptrdiff_t i = 0; i < view.size(); ++i) {
    const bool point = view.global(i, at);
    const std::ptrdiff_t p = point ? flat(n, at.data()) : 0;
    if constexpr (std::is_floating_point_v<Field>)
      field[i] = point ? static_cast<Field>(value(p)) : std::numeric_limits<Field>::quiet_NaN();
    else
      field[i] = static_cast<Field>(Complex(value(p), value(p, 1)));
  }
}

template <class Field>
void expect_field(const Buffer<Field> &found, const LayoutView &view, const Case &c,
                  const std::vector<Complex> &truth, double tolerance, double scale = 1) {
  Numbers at(c.n.size());
  double worst = 0;
  for (std::ptrdiff_t i = 0; i < view.size(); ++i) {
    if (!view.global(i, at)) continue;
    const Complex wanted = scale * truth[static_cast<std::size_t>(flat(c.n, at.data()))];
    const double error = std::abs(as_complex(found[i]) - wanted);
    worst = std::isnan(error) ? error : std::max(worst, error);
    ASSERT_FALSE(std::isnan(error)) << "element " << i;
  }
  EXPECT_LE(worst, tolerance);
}

/// Returns the tolerance for N points. Each of the log2(N) stages of both transforms rounds by
/// about one epsilon of the array's norm, N. The sums of the reference round in double precision.
template <class Real> double tolerance(const Numbers &n) {
  const auto points = static_cast<double>(product(n));
  return 8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * (1 + std::log2(points)) *
         points;
}

template <class Real, Kind K>
void check(const Case &c, const Pair &pair, Options options, bool in_place,
           const std::vector<Complex> &truth) {
  SCOPED_TRACE(pair.name + (in_place ? ", in place" : ""));
  using Operator = SpectralOperator<Real, K>;
  using Field = typename Operator::Field;
  const int rank = test::rank_of(options.comm);
  options.axes = c.axes;
  options.modes = c.modes;
  const LayoutView in(pair.in, rank), out(pair.out, rank);
  const auto size = [&](const LayoutView &v) {
    return static_cast<std::size_t>(in_place ? std::max(in.size(), out.size()) : v.size());
  };
  Buffer<Field> a(size(in)), b(in_place ? 0 : size(out));
  Buffer<Field> &result = in_place ? a : b;
  Operator plan(pair.in, pair.out, a, result, multiply_by_factors<typename Operator::Bin>(c),
                options);
  for (int repetition = 0; repetition < 2; ++repetition) {
    fill(a, in, c.n);
    plan.execute();
    expect_field(result, out, c, truth, tolerance<Real>(c.n), options.scale);
  }
  if (::testing::Test::HasFailure()) ADD_FAILURE() << plan.describe();
}

/// Tests every pair of layouts; precisions, threads and placements alternate.
template <Kind K> void check_all(const Case &c) {
  const std::vector<Complex> truth = expected(c, K == Kind::r2c);
  int turn = 0;
  for (const Pair &pair : pairs(c.n, test::size_of(test::world()))) {
    const bool in_place = ++turn % 2 == 0;
    const Options options{
        .comm = test::world(), .effort = Effort::estimate, .threads = 1 + turn % 2};
    if (turn % 3 == 0)
      check<float, K>(c, pair, options, in_place, truth);
    else
      check<double, K>(c, pair, options, in_place, truth);
  }
}

TEST(SpectralOperator, RealFields_AnyLayouts_MatchDefinition) {
  for (const Case &c : {Case{{12, 10, 16}}, {{8, 8, 8}}, {{5, 7, 9}}, {{16, 12}}, {{9}}}) {
    SCOPED_TRACE(testing::PrintToString(c.n));
    check_all<Kind::r2c>(c);
  }
}

TEST(SpectralOperator, ComplexFields_AnyLayouts_MatchDefinition) {
  for (const Case &c : {Case{{12, 10, 6}}, {{7, 15}}, {{4, 6, 5, 8}}}) {
    SCOPED_TRACE(testing::PrintToString(c.n));
    check_all<Kind::c2c>(c);
  }
}

TEST(SpectralOperator, SomeAxes_AnyLayouts_MatchDefinition) {
  check_all<Kind::r2c>({{8, 9, 10}, {2}});
  check_all<Kind::c2c>({{8, 9, 10}, {0}});
}

TEST(SpectralOperator, FewerModes_AnyLayouts_AreDropped) {
  check_all<Kind::r2c>({{12, 15, 16}, {}, {7, 9, 11}});
  check_all<Kind::c2c>({{12, 12, 10}, {}, {8, 7, 6}});
}

TEST(SpectralOperator, Deterministic_AnyLayoutsAndThreads_SameBits) {
  const Case c{{12, 10, 18}};
  Options options{.comm = MPI_COMM_SELF, .effort = Effort::estimate, .threads = 1};
  options.deterministic = true;
  const Layout alone = Layout::grid(c.n, {1, 1, 1});
  Buffer<double> whole(static_cast<std::size_t>(product(c.n))), truth(whole.size());
  SpectralOperator<double> one(alone, alone, whole, truth, multiply_by_factors<Complex>(c),
                               options);
  fill(whole, one.input(), c.n);
  one.execute();
  options.comm = test::world();
  for (const Pair &pair : pairs(c.n, test::size_of(test::world()))) {
    SCOPED_TRACE(pair.name);
    options.threads = 3 - options.threads;
    const int rank = test::rank_of(test::world());
    const LayoutView in(pair.in, rank), out(pair.out, rank);
    Buffer<double> a(static_cast<std::size_t>(in.size())), b(static_cast<std::size_t>(out.size()));
    SpectralOperator<double> plan(pair.in, pair.out, a, b, multiply_by_factors<Complex>(c),
                                  options);
    fill(a, in, c.n);
    plan.execute();
    out.for_each<3>([&](auto i, const auto &at) {
      ASSERT_EQ(b[i], truth[flat(c.n, at.data())]) << plan.describe();
    });
  }
}

class SpectralOperatorExchange : public ::testing::TestWithParam<const char *> {};

/// Tests all exchanges, messages in chunks, shared memory, and passes that overlap with messages of
/// rows.
TEST_P(SpectralOperatorExchange, LargerGrid_MatchesDefinition) {
  setenv("HFFT_EXCHANGE", GetParam(), 1);
  const Case c{{32, 24, 20}};
  const std::vector<Complex> truth = expected(c, true);
  const auto all = pairs(c.n, test::size_of(test::world()));
  for (const Pair &pair : {all.front(), all[4], all.back()})
    for (const Effort effort : {Effort::estimate, Effort::measure})
      check<double, Kind::r2c>(
          c, pair, {.comm = test::world(), .effort = effort, .threads = 2, .deterministic = true},
          false, truth);
  unsetenv("HFFT_EXCHANGE");
}
INSTANTIATE_TEST_SUITE_P(Exchanges, SpectralOperatorExchange,
                         testing::Values("alltoallv", "shared", "pairwise", "pipelined", "eager"));

/// Real transforms and their inverses: products of cosines are eigenfunctions of the operator.
TEST(SpectralOperator, Cosines_AreScaledByTheFactor) {
  const Numbers n{8, 9, 10};
  const Numbers k{3, 2, 5};
  const int rank = test::rank_of(test::world());
  for (const Pair &pair : pairs(n, test::size_of(test::world()))) {
    SCOPED_TRACE(pair.name);
    Options options{.comm = test::world(), .effort = Effort::estimate};
    options.kinds = {HFFT_REDFT10, HFFT_REDFT10, HFFT_REDFT10};
    const LayoutView in(pair.in, rank), out(pair.out, rank);
    Buffer<double> a(static_cast<std::size_t>(in.size())), b(static_cast<std::size_t>(out.size()));
    SpectralOperator<double, Kind::r2r> plan(
        pair.in, pair.out, a, b,
        [](const auto &line) {
          for (std::ptrdiff_t i = 0; i < line.count; ++i) {
            Numbers at(line.first, line.first + 3);
            at[static_cast<std::size_t>(line.axis)] += i;
            line.values[i] *= factor(at, {100, 100, 100}).real();
          }
        },
        options);
    const auto cosines = [&](const auto &at) {
      double v = 1;
      for (std::size_t axis = 0; axis < 3; ++axis)
        v *= std::cos(std::numbers::pi * static_cast<double>(k[axis]) *
                      (static_cast<double>(at[axis]) + 0.5) / static_cast<double>(n[axis]));
      return v;
    };
    in.for_each<3>([&](auto i, const auto &at) { a[i] = cosines(at); });
    plan.execute();
    const double scale = 8 * static_cast<double>(product(n)) * factor(k, {100, 100, 100}).real();
    out.for_each<3>([&](auto i, const auto &at) {
      ASSERT_NEAR(b[i], scale * cosines(at), 8 * tolerance<double>(n)) << plan.describe();
    });
  }
}

/// In the spectrum the values of all fields at a point are adjacent, also if the fields are
/// separate in the layout.
TEST(SpectralOperator, SeveralFields_EachHasItsFactor) {
  const Case c{{8, 6, 10}};
  const std::vector<Complex> truth = expected(c, true);
  const int rank = test::rank_of(test::world()), ranks = test::size_of(test::world());
  for (const Fields fields : {Fields::interleaved, Fields::separate}) {
    const Layout layout = Layout::grid(c.n, {ranks, 1, 1}, {{}, {}, 3, fields});
    const LayoutView view(layout, rank);
    Buffer<double> a(static_cast<std::size_t>(view.size())), b(a.size());
    const auto one = multiply_by_factors<Complex>(c);
    SpectralOperator<double> plan(
        layout, layout, a, b,
        [&](const auto &line) {
          std::vector<Complex> values(static_cast<std::size_t>(line.count));
          auto single = line;
          single.values = values.data();
          for (std::ptrdiff_t f = 0; f < 3; ++f) {
            for (std::ptrdiff_t i = 0; i < line.count; ++i)
              single.values[i] = static_cast<double>(f + 1) * line.values[3 * i + f];
            one(single);
            for (std::ptrdiff_t i = 0; i < line.count; ++i)
              line.values[3 * i + f] = single.values[i];
          }
        },
        {.comm = test::world(), .effort = Effort::estimate});
    const std::ptrdiff_t step = layout.field_stride(rank);
    const LayoutView points(layout.of_one_field(), rank);
    const std::ptrdiff_t next = fields == Fields::interleaved ? 3 : 1;
    points.for_each<3>([&](auto i, const auto &at) {
      for (std::ptrdiff_t f = 0; f < 3; ++f)
        a[next * i + f * step] = value(flat(c.n, at.data()));
    });
    plan.execute();
    points.for_each<3>([&](auto i, const auto &at) {
      for (std::ptrdiff_t f = 0; f < 3; ++f)
        ASSERT_NEAR(b[next * i + f * step],
                    static_cast<double>(f + 1) *
                        truth[static_cast<std::size_t>(flat(c.n, at.data()))].real(),
                    3 * tolerance<double>(c.n))
            << plan.describe();
    });
  }
}

/// A spectral operator supports the scale, a shared work space, executions in the background,
/// profiles and descriptions.
TEST(SpectralOperator, IsAPlanLikeOthers) {
  const Case c{{16, 12, 20}};
  const std::vector<Complex> truth = expected(c, true);
  const int rank = test::rank_of(test::world());
  WorkSpace work;
  const auto all = pairs(c.n, test::size_of(test::world()));
  for (const Pair &pair : {all.front(), all.back()}) {
    SCOPED_TRACE(pair.name);
    const Options options{.comm = test::world(),
                          .effort = Effort::estimate,
                          .threads = 2,
                          .scale = 0.25,
                          .nonblocking = true,
                          .work = &work};
    check<double, Kind::r2c>(c, pair, options, false, truth);
    const LayoutView in(pair.in, rank), out(pair.out, rank);
    Buffer<double> a(static_cast<std::size_t>(in.size())), b(static_cast<std::size_t>(out.size()));
    Buffer<double> a2(a.size()), b2(b.size());
    Options own = options;
    own.work = nullptr;
    const auto multiply = multiply_by_factors<Complex>(c);
    SpectralOperator<double> one(pair.in, pair.out, a, b, multiply, own);
    SpectralOperator<double> two(pair.in, pair.out, a2, b2, multiply, own);
    fill(a, in, c.n);
    fill(a2, in, c.n);
    one.set_profiling(true);
    one.start();
    two.start();
    two.wait();
    one.wait();
    expect_field(b, out, c, truth, tolerance<double>(c.n), 0.25);
    expect_field(b2, out, c, truth, tolerance<double>(c.n), 0.25);
    bool found = false;
    for (const hfft_stage_profile &stage : one.profile())
      found = found || std::string(stage.name) == "work";
    EXPECT_TRUE(found) << one.describe();
    EXPECT_NE(one.describe().find("r2c 16x12x20, work, and back"), std::string::npos)
        << one.describe();
  }
}

TEST(SpectralOperator, ReducedPrecision_RoundsMessages) {
  const Case c{{16, 12, 20}};
  const std::vector<Complex> truth = expected(c, true);
  // Both exchanges round numbers to single precision.
  const Pair slabs = pairs(c.n, test::size_of(test::world())).front();
  const int rank = test::rank_of(test::world());
  const LayoutView view(slabs.in, rank);
  Buffer<double> a(static_cast<std::size_t>(view.size())), b(a.size());
  SpectralOperator<double> plan(
      slabs.in, slabs.out, a, b, multiply_by_factors<Complex>(c),
      {.comm = test::world(), .effort = Effort::estimate, .wire = Wire::single});
  fill(a, view, c.n);
  plan.execute();
  expect_field(b, view, c, truth, tolerance<float>(c.n));
}

TEST(SpectralOperator, InvalidArguments_AreErrorsOnAllRanks) {
  const int ranks = test::size_of(test::world());
  const Numbers n{8, 8, 8};
  const Layout slabs = Layout::grid(n, {ranks, 1, 1});
  Buffer<double> a(static_cast<std::size_t>(slabs.local_size(test::rank_of(test::world()))) + 64),
      b(a.size());
  const auto nothing = [](const auto &) {};
  const Options options{.comm = test::world(), .effort = Effort::estimate};
  test::expect_error(HFFT_ERROR_LAYOUT, {"8x8x9"}, [&] {
    SpectralOperator<double>(slabs, Layout::grid(Numbers{8, 8, 9}, {ranks, 1, 1}), a,
                             Buffer<double>(1000), nothing, options);
  });
  test::expect_error(HFFT_ERROR_LAYOUT, {"the output's 2"}, [&] {
    const Layout two = Layout::grid(n, {ranks, 1, 1}, {{}, {}, 2});
    Buffer<double> large(2000);
    SpectralOperator<double>(slabs, two, a, large, nothing, options);
  });
  test::expect_error(HFFT_ERROR_ARGUMENT, {"no axis"}, [&] {
    Options none = options;
    none.redistribute_only = true;
    SpectralOperator<double>(slabs, slabs, a, b, nothing, none);
  });
  test::expect_error(HFFT_ERROR_ARGUMENT, {"axes has 3"}, [&] {
    Options none = options;
    none.axes = {0, 3};
    SpectralOperator<double>(slabs, slabs, a, b, nothing, none);
  });
  const detail::LayoutHandle handle(detail::wrap(slabs));
  const hfft_options c = detail::c_options(options, false);
  const hfft_spectrum_work work = [](auto...) {};
  const bool last = test::rank_of(test::world()) == ranks - 1;
  EXPECT_EQ(hfft_plan_spectral_operator(HFFT_R2C, handle.get(), handle.get(), a.data(), b.data(),
                                        test::world(), last ? nullptr : work, nullptr, &c),
            nullptr);
  EXPECT_NE(hfft_last_error(), HFFT_SUCCESS);
  EXPECT_EQ(hfft_plan_spectral_operator(HFFT_C2R, handle.get(), handle.get(), a.data(), b.data(),
                                        test::world(), work, nullptr, &c),
            nullptr);
  EXPECT_NE(std::string(hfft_last_error_message()).find("HFFT_C2R"), std::string::npos);
}

} // namespace
} // namespace hybridfft
