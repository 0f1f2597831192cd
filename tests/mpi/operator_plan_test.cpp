/// Compares operator plans with complete transforms in double precision, for every exchange, and
/// bit for bit with one rank.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "hybridfft/hybridfft.hpp"
#include "hybridfft/operators.hpp"
#include "support/expect_error.h"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"
#include "verifier/guarded.h"

namespace hybridfft {
namespace {

using Extents3 = std::array<std::ptrdiff_t, 3>;

/// Returns a real array of the complete grid, the same on all ranks.
std::vector<double> random_array(const Extents3 &n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  for (double &v : values)
    v = static_cast<float>(uniform(random));
  return values;
}

/// Returns a factor for each bin; all are different.
double table_value(std::ptrdiff_t k0, std::ptrdiff_t k1, std::ptrdiff_t k2) {
  return 1.0 / (1.0 + static_cast<double>(k0) + 0.3 * static_cast<double>(k1 * k1) +
                0.7 * static_cast<double>(k2));
}
/// Returns the factor that shifts a field by half a cell. It is Hermitian, as derivatives of real
/// functions are.
std::complex<double> shift(std::ptrdiff_t k, std::ptrdiff_t n) {
  const std::ptrdiff_t m = (k + n / 2) % n - n / 2;
  if (2 * k == n) return 1;
  return std::polar(1.0, 3.14159265358979 * static_cast<double>(m) / static_cast<double>(n));
}
/// Returns a factor that is even in k0 and in k1, so that fields remain real.
double even_table(const Extents3 &n, std::ptrdiff_t k0, std::ptrdiff_t k1, std::ptrdiff_t k2) {
  return table_value(std::min(k0, n[0] - k0), std::min(k1, n[1] - k1), k2);
}

template <class Real>
std::vector<std::complex<Real>> shifts(std::ptrdiff_t bins, std::ptrdiff_t n) {
  std::vector<std::complex<Real>> values;
  for (std::ptrdiff_t k = 0; k < bins; ++k)
    values.push_back(static_cast<std::complex<Real>>(shift(k, n)));
  return values;
}

/// Returns the expected result of the plans below, computed by complete transforms: a, shifted by
/// half a cell along each axis and filtered, plus half of b, shifted along axes 1 and 2 only.
std::vector<double> expected(const Extents3 &n, const std::vector<double> &a,
                             const std::vector<double> &b) {
  Options options{.comm = test::world()};
  options.comm = MPI_COMM_SELF;
  options.effort = Effort::estimate;
  const std::ptrdiff_t bins = n[2] / 2 + 1;
  const auto spectrum = [&](const std::vector<double> &values) {
    Buffer<double> in(static_cast<std::size_t>(n[0] * n[1] * 2 * bins));
    Buffer<std::complex<double>> out(static_cast<std::size_t>(n[0] * n[1] * bins));
    for (std::ptrdiff_t row = 0; row < n[0] * n[1]; ++row)
      for (std::ptrdiff_t k = 0; k < n[2]; ++k)
        in[static_cast<std::size_t>(row * 2 * bins + k)] =
            values[static_cast<std::size_t>(row * n[2] + k)];
    Plan<double, Kind::r2c>(n, in, out, options).execute(in, out);
    return std::vector<std::complex<double>>(out.data(), out.data() + out.size());
  };
  const auto of_a = spectrum(a);
  const auto of_b = spectrum(b);
  Buffer<std::complex<double>> product(of_a.size());
  Buffer<double> back(2 * of_a.size());
  Plan<double, Kind::c2r> backward(n, product, back, options);
  for (std::ptrdiff_t i = 0; i < n[0]; ++i)
    for (std::ptrdiff_t j = 0; j < n[1]; ++j)
      for (std::ptrdiff_t k = 0; k < bins; ++k) {
        const auto at = static_cast<std::size_t>((i * n[1] + j) * bins + k);
        product[at] = (even_table(n, i, j, k) * shift(i, n[0]) * of_a[at] + 0.5 * of_b[at]) *
                      shift(j, n[1]) * shift(k, n[2]);
      }
  backward.execute();
  std::vector<double> result;
  for (std::ptrdiff_t row = 0; row < n[0] * n[1]; ++row)
    for (std::ptrdiff_t k = 0; k < n[2]; ++k)
      result.push_back(back[static_cast<std::size_t>(row * 2 * bins + k)]);
  return result;
}

/// This rank's planes of a grid.
struct Planes {
  Planes(const Extents3 &n, MPI_Comm comm) {
    int rank = 0, size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const BlockDistribution cut(n[0], size);
    first = cut.start(rank);
    count = cut.count(rank);
  }
  std::ptrdiff_t first = 0, count = 0;
};

/// Computes the result of expected() with an operator plan in two ways. Returns this rank's planes
/// of both results, which must be equal.
template <class Real>
std::array<verifier::GuardedBuffer<Real>, 2>
computed(const Extents3 &n, const std::vector<double> &a, const std::vector<double> &b,
         MPI_Comm comm, int threads) {
  using Plan = OperatorPlan<Real>;
  Plan plan(n, 3, comm, threads);
  const Planes mine(n, comm);
  const auto filtered =
      plan.table([&](auto k0, auto k1, auto k2) { return even_table(n, k0, k1, k2); });
  const auto half = plan.table([](auto, auto, auto) { return 0.5; });
  const auto along0 = plan.factors(0, shifts<Real>(n[0], n[0]));
  const auto along1 = plan.factors(1, shifts<Real>(n[1], n[1]));
  const auto along2 = plan.factors(2, shifts<Real>(n[2] / 2 + 1, n[2]));
  const auto own = [&](const std::vector<double> &whole) {
    // The work of each sweep reads and writes these arrays, in addition to the plan's own fields.
    verifier::GuardedBuffer<Real> part(static_cast<std::size_t>(mine.count * n[1] * n[2]));
    std::ptrdiff_t here = 0;
    for (std::ptrdiff_t at = mine.first * n[1] * n[2]; at < (mine.first + mine.count) * n[1] * n[2];
         ++at)
      part[here++] = static_cast<Real>(whole[static_cast<std::size_t>(at)]);
    return part;
  };
  const verifier::GuardedBuffer<Real> own_a = own(a), own_b = own(b);
  const verifier::ReadOnly kept_a(own_a.memory()), kept_b(own_b.memory());
  const auto offset = [&](const typename Plan::Line &l) { return (l.i * n[1] + l.j) * n[2]; };
  // The values of a come from the program's memory, the values of b through scratch.
  plan.planes({}, std::array{0, 1}, [&](const typename Plan::Line &l) {
    l.out[0] = own_a.data() + offset(l);
    std::copy_n(own_b.data() + offset(l), n[2], l.scratch[1]);
  });
  const std::vector<typename Plan::Term> sum{{0, filtered.get(), &along0},
                                             {1, half.get(), nullptr}};
  const std::array<typename Plan::Product, 2> products{{{2, sum}, {0, sum}}};
  plan.lines(products);
  // Transforms field 2 backward. Its values are transformed forward into field 1; field 0 stays.
  std::array<verifier::GuardedBuffer<Real>, 2> results{
      verifier::GuardedBuffer<Real>(own_a.size(), verifier::Edge::front),
      verifier::GuardedBuffer<Real>(own_a.size(), verifier::Edge::back)};
  plan.planes(std::array{typename Plan::Source{2, &along1, &along2}}, std::array{1},
              [&](const typename Plan::Line &l) {
                std::copy_n(l.in[0], n[2], results[0].data() + offset(l));
                l.out[0] = results[0].data() + offset(l);
              });
  const std::array<typename Plan::Product, 1> identity{{{1, {{1, nullptr, nullptr}}}}};
  plan.lines(identity);
  std::vector<Real> again(own_a.size());
  plan.planes(std::array{typename Plan::Source{0, &along1, &along2}, typename Plan::Source{1}}, {},
              [&](const typename Plan::Line &l) {
                std::copy_n(l.in[0], n[2], results[1].data() + offset(l));
                std::copy_n(l.in[1], n[2], again.data() + offset(l));
              });
  // Forward and backward transform together multiply by the number of points.
  const auto points = static_cast<double>(n[0] * n[1] * n[2]);
  double largest = 0;
  for (const Real value : results[0])
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (std::size_t at = 0; at < again.size(); ++at)
    EXPECT_NEAR(static_cast<double>(again[at]) / points, static_cast<double>(results[0][at]),
                20 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * largest);
  return results;
}

template <class Real> void check(const Extents3 &n, int threads) {
  const std::vector<double> a = random_array(n, 1), b = random_array(n, 2);
  const std::vector<double> truth = expected(n, a, b);
  const auto found = computed<Real>(n, a, b, test::world(), threads);
  const auto alone = computed<Real>(n, a, b, MPI_COMM_SELF, 1);
  const Planes mine(n, test::world());
  // Without normalisation, N values of up to one become up to N times as large. About ten
  // operations in each direction round them, with random errors.
  const double tolerance = 40 * static_cast<double>(std::numeric_limits<Real>::epsilon()) *
                           static_cast<double>(truth.size());
  for (std::ptrdiff_t at = 0; at < mine.count * n[1] * n[2]; ++at) {
    const auto here = static_cast<std::size_t>(at);
    const auto there = static_cast<std::size_t>(mine.first * n[1] * n[2] + at);
    ASSERT_NEAR(static_cast<double>(found[0][here]), truth[there], tolerance) << "at " << there;
    ASSERT_EQ(found[0][here], found[1][here]) << "at " << there;
    ASSERT_EQ(found[0][here], alone[0][there]) << "at " << there;
  }
}

class OperatorPlanTest : public ::testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    if (*GetParam() != '\0') setenv("HFFT_EXCHANGE", GetParam(), 1);
  }
  void TearDown() override { unsetenv("HFFT_EXCHANGE"); }
};

TEST_P(OperatorPlanTest, AgreesWithWholeTransforms) {
  // The cases: complete groups of lanes and remainders, odd lengths, primes, fewer planes than
  // ranks, and real lines in pairs.
  for (const Extents3 &n :
       {Extents3{16, 12, 64}, {9, 15, 33}, {3, 37, 20}, {20, 5, 8}, {3, 11, 256}, {2, 35, 384}}) {
    if (!OperatorPlan<float>::supports(n)) GTEST_SKIP() << test::this_machine << "no kernels";
    SCOPED_TRACE(testing::Message() << n[0] << "x" << n[1] << "x" << n[2]);
    check<float>(n, 1);
    check<double>(n, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Exchanges, OperatorPlanTest,
                         ::testing::Values("", "shared", "pipelined", "pairwise", "alltoallv",
                                           "datatypes"));

/// Tests all fields in flight at once: each is read by a sweep that also writes it, and some are
/// written again before they are read.
void check_all_fields_at_once(const Extents3 &n) {
  using Plan = OperatorPlan<double>;
  Plan plan(n, 3, test::world(), 2);
  const Planes mine(n, test::world());
  const auto points = static_cast<double>(n[0] * n[1] * n[2]);
  const auto value = [&](std::size_t field, const Plan::Line &l, std::ptrdiff_t k) {
    return std::sin(static_cast<double>(field + 1) * static_cast<double>(mine.first + l.i) +
                    2 * static_cast<double>(l.j) + 3 * static_cast<double>(k));
  };
  const auto fill = [&](double factor) {
    plan.planes({}, std::array{0, 1, 2}, [&](const Plan::Line &l) {
      for (std::size_t field = 0; field < 3; ++field)
        for (std::ptrdiff_t k = 0; k < n[2]; ++k)
          l.scratch[field][k] = factor * value(field, l, k);
    });
  };
  const auto lines = [&] {
    plan.lines(std::array<Plan::Product, 3>{{{0, {{0}}}, {1, {{1}}}, {2, {{2}}}}});
  };
  const std::array<Plan::Product, 1> copy{{{1, {{0}}}}};
  fill(7);
  plan.lines(copy);
  plan.lines(copy);
  fill(5);
  fill(1);
  lines();
  const std::array<Plan::Source, 3> sources{{{0}, {1}, {2}}};
  // Each field gets the values of the next one.
  plan.planes(sources, std::array{0, 1, 2}, [&](const Plan::Line &l) {
    for (std::size_t field = 0; field < 3; ++field)
      for (std::ptrdiff_t k = 0; k < n[2]; ++k)
        l.scratch[field][k] = l.in[(field + 1) % 3][k] / points;
  });
  lines();
  // Tolerance of four transforms of three axes each, with roundings as in check().
  const double tolerance = 80 * std::numeric_limits<double>::epsilon();
  plan.planes(sources, {}, [&](const Plan::Line &l) {
    for (std::size_t field = 0; field < 3; ++field)
      for (std::ptrdiff_t k = 0; k < n[2]; ++k)
        EXPECT_NEAR(l.in[field][k] / points, value((field + 1) % 3, l, k), tolerance)
            << field << " " << l.i << " " << l.j << " " << k;
  });
}

TEST_P(OperatorPlanTest, AllFieldsTravelAtOnce) {
  const Extents3 n{9, 15, 33};
  if (!OperatorPlan<double>::supports(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  check_all_fields_at_once(n);
}

/// The fields are large enough for chunks of rows and of columns between two ranks.
TEST(OperatorPlanChunksTest, FieldsAreSentAndReadInChunks) {
  const Extents3 n{64, 60, 70};
  if (!OperatorPlan<double>::supports(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  setenv("HFFT_EXCHANGE", "pipelined", 1);
  check<double>(n, 2);
  check_all_fields_at_once(n);
  unsetenv("HFFT_EXCHANGE");
}

/// Teams of threads share a plane if there are fewer planes than threads, or for the planes that
/// remain after each thread has got the same number of planes.
TEST(OperatorPlanTeamsTest, ThreadsSharePlanes) {
  const Extents3 n{7, 66, 70};
  if (!OperatorPlan<double>::supports(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  for (const int threads : {2, 3, 5}) {
    SCOPED_TRACE(testing::Message() << threads << " threads");
    check<float>(n, threads);
    check<double>(n, threads);
  }
  check_all_fields_at_once(n);
}

/// With every exchange the same calls are refused, and a refused call changes nothing.
TEST_P(OperatorPlanTest, RefusesBeforeAnythingIsDone) {
  using Plan = OperatorPlan<double>;
  const Extents3 n{8, 9, 10};
  if (!Plan::supports(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  Plan plan(n, 4, test::world(), 1);
  for (const int field : {0, 1, 2})
    plan.planes({}, std::array{field},
                [](const Plan::Line &l) { std::fill_n(l.scratch[0], 10, 1.0); });
  const auto refused = [&](std::span<const Plan::Product> products, const std::string &why) {
    try {
      plan.lines(products);
      ADD_FAILURE() << "nothing thrown, expected " << why;
    } catch (const Error &e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  const Plan::Product first{0, {{0}}}, second{1, {{1}}}, third{2, {{2}}}, bad{3, {{3}}};
  refused(std::array{first, second, third, bad}, "more than 3 products");
  refused(std::array{first, bad}, "reads field 3");
  plan.lines(std::array{first, second, third});
  plan.planes(std::array<Plan::Source, 3>{{{0}, {1}, {2}}}, {}, [](const Plan::Line &l) {
    for (std::size_t field = 0; field < 3; ++field)
      for (int k = 0; k < 10; ++k)
        EXPECT_NEAR(l.in[field][k], 720, 1e-11);
  });
}

/// A sweep of NaN leaves no NaN in memory that later sweeps use, for example in unused lanes.
TEST_P(OperatorPlanTest, SweepAfterNan_OfOtherValues_IsFinite) {
  using Plan = OperatorPlan<float>;
  for (const Extents3 &n : {Extents3{5, 6, 7}, {5, 6, 20}, {4, 3, 128}}) {
    if (!Plan::supports(n)) GTEST_SKIP() << test::this_machine << "no kernels";
    Plan plan(n, 2, test::world(), 2);
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), 1.0F}) {
      const auto fill = [&](const Plan::Line &l) {
        for (float *line : {l.scratch[0], l.scratch[1]})
          std::fill_n(line, n[2], value);
      };
      plan.planes({}, std::array{0, 1}, fill);
      plan.lines(std::array<Plan::Product, 2>{{{0, {{0}}}, {1, {{1}}}}});
      plan.planes(std::array<Plan::Source, 2>{{{0}, {1}}}, std::array{1, 0},
                  [&](const Plan::Line &l) {
                    fill(l);
                    if (std::isnan(value)) return;
                    for (const float *line : {l.in[0], l.in[1]})
                      for (std::ptrdiff_t k = 0; k < n[2]; ++k)
                        EXPECT_NEAR(line[k], static_cast<float>(n[0] * n[1] * n[2]), 1e-2);
                  });
    }
  }
}

/// Messages that nobody waits for must not arrive in freed memory.
TEST_P(OperatorPlanTest, MayBeDestroyedUnderWay) {
  if (!OperatorPlan<float>::supports({32, 32, 32}))
    GTEST_SKIP() << test::this_machine << "no kernels";
  for (int repetition = 0; repetition < 3; ++repetition) {
    OperatorPlan<float> plan({32, 32, 32}, 1, test::world(), 1);
    plan.planes({}, std::array{0},
                [](const OperatorPlan<float>::Line &l) { std::fill_n(l.scratch[0], 32, 1.0F); });
  }
}

/// Transforms `values` forward, multiplies them by a table, and transforms them backward. The first
/// sweep runs as a whole, or with `in_parts` in three parts. The last sweep reads only the part
/// `wanted`. Returns its lines; all other values are -1e30.
std::vector<float> filtered(const Extents3 &n, const std::vector<double> &values, bool in_parts,
                            const OperatorPlan<float>::Part &wanted) {
  using Plan = OperatorPlan<float>;
  Plan plan(n, 1, MPI_COMM_SELF, 2);
  const int field = 0;
  const auto fill = [&](const Plan::Line &line) {
    for (std::ptrdiff_t k = 0; k < n[2]; ++k)
      line.scratch[0][k] =
          static_cast<float>(values[static_cast<std::size_t>((line.i * n[1] + line.j) * n[2] + k)]);
  };
  const std::span<const int> targets(&field, 1);
  if (in_parts) {
    plan.planes({n[0] - 2, n[0]}, {}, targets, fill);
    plan.planes({0, 3}, {}, targets, fill);
    plan.planes({3, n[0] - 2}, {}, targets, fill);
  } else {
    plan.planes({}, targets, fill);
  }
  const auto table = plan.table([&](auto i, auto j, auto k) { return table_value(i, j % 7, k); });
  const Plan::Product product{0, {{0, table.get(), nullptr}}};
  plan.lines({&product, 1});
  const Plan::Source source{0, nullptr, nullptr};
  std::vector<float> result(values.size(), -1e30F);
  plan.planes(wanted, {&source, 1}, {}, [&](const Plan::Line &line) {
    std::copy_n(line.in[0], n[2], result.data() + (line.i * n[1] + line.j) * n[2]);
  });
  return result;
}

// Parts of a sweep pass the same lines as the complete sweep, with the same bits, and no others.
TEST(OperatorPlanPartsTest, Parts_EqualTheCompleteSweep) {
  const Extents3 n{13, 21, 18};
  if (!OperatorPlan<float>::supports(n)) GTEST_SKIP() << test::this_machine << "no kernels";
  const std::vector<double> values = random_array(n, 5);
  const std::vector<float> whole = filtered(n, values, false, {});
  EXPECT_EQ(filtered(n, values, true, {}), whole);
  const std::vector<float> part = filtered(n, values, true, {4, 9, 5});
  for (std::ptrdiff_t i = 0; i < n[0]; ++i)
    for (std::ptrdiff_t j = 0; j < n[1]; ++j) {
      const bool wanted = i >= 4 && i < 9 && j < 5;
      const auto at = static_cast<std::size_t>((i * n[1] + j) * n[2]);
      for (std::size_t k = 0; k < static_cast<std::size_t>(n[2]); ++k)
        ASSERT_EQ(part[at + k], wanted ? whole[at + k] : -1e30F) << i << ", " << j << ", " << k;
    }
}

TEST(OperatorPlanErrorTest, RefusesBadArguments) {
  using Plan = OperatorPlan<float>;
  if (!Plan::supports({8, 8, 8})) GTEST_SKIP() << test::this_machine << "no kernels";
  EXPECT_FALSE(Plan::supports({8, 0, 8}));
  test::expect_error(HFFT_ERROR_EXTENTS, {"extent 0"}, [] {
    Plan({8, 0, 8}, 1, test::world(), 1);
  });
  test::expect_error(HFFT_ERROR_ARGUMENT, {"0 fields"}, [] {
    Plan({8, 8, 8}, 0, test::world(), 1);
  });
  test::expect_error(HFFT_ERROR_NULL_POINTER, {"MPI_COMM_NULL"}, [] {
    Plan({8, 8, 8}, 1, MPI_COMM_NULL, 1);
  });
  int rank = 0, size = 1;
  MPI_Comm_rank(test::world(), &rank);
  MPI_Comm_size(test::world(), &size);
  if (size > 1)
    test::expect_error(HFFT_ERROR_MISMATCH, {"the third extent: 8 and 9"}, [&] {
      Plan({8, 8, rank == 0 ? 8 : 9}, 1, test::world(), 1);
    });
  test::expect_error(HFFT_ERROR_ARGUMENT, {"0 threads"}, [] {
    Plan({8, 8, 8}, 1, test::world(), 0);
  });
  constexpr std::ptrdiff_t large = std::ptrdiff_t{1} << 40;
  if (Plan::supports({large, 4, 4}))
    for (const Extents3 &n : {Extents3{large, large, 4}, {large, 4, large}})
      test::expect_error(HFFT_ERROR_OVERFLOW, {"bytes"}, [&] { Plan(n, 1, test::world(), 1); });
  setenv("HFFT_THREADS", "eight", 1);
  test::expect_error(HFFT_ERROR_ENVIRONMENT, {"eight"}, [] {
    Plan({8, 8, 8}, 1, test::world(), 1);
  });
  unsetenv("HFFT_THREADS");
  Plan plan({8, 8, 8}, 2, test::world(), 1);
  const std::vector<std::complex<float>> five(5), eight(8);
  test::expect_error(HFFT_ERROR_ARGUMENT, {"axis 3"}, [&] { plan.factors(3, eight); });
  test::expect_error(HFFT_ERROR_ARGUMENT, {"expected 5"}, [&] { plan.factors(2, eight); });
  auto not_conjugate = eight;
  not_conjugate[3] += 1;
  test::expect_error(HFFT_ERROR_ARGUMENT, {"bin 3", "bin 5", "axis 1", "conjugate"},
                     [&] { plan.factors(1, not_conjugate); });
  const auto along2 = plan.factors(2, five);
  const auto nothing = [](const Plan::Line &) {};
  test::expect_error(HFFT_ERROR_ARGUMENT, {"field 2, expected 0 to 1"},
                     [&] { plan.planes(std::array{Plan::Source{2}}, {}, nothing); });
  test::expect_error(HFFT_ERROR_ARGUMENT, {"reads field 0, expected a sweep over lines"},
                     [&] { plan.planes(std::array{Plan::Source{0}}, {}, nothing); });
  test::expect_error(HFFT_ERROR_NULL_POINTER, {"empty"},
                     [&] { plan.planes({}, std::array{0}, Plan::Work{}); });
  void (*null)(const Plan::Line &) = nullptr;
  test::expect_error(HFFT_ERROR_NULL_POINTER, {"empty"},
                     [&] { plan.planes({}, std::array{0}, null); });
  const auto ones = [](const Plan::Line &l) { std::fill_n(l.scratch[0], 8, 1.0F); };
  const std::array<Plan::Product, 1> same{{{0, {{0, nullptr, nullptr}}}}};
  test::expect_error(HFFT_ERROR_ARGUMENT, {"expected a sweep over planes"},
                     [&] { plan.lines(same); });
  plan.planes({}, std::array{0}, ones);
  test::expect_error(HFFT_ERROR_ARGUMENT, {"field 0 twice"}, [&] {
    plan.planes({}, std::array{0, 0}, nothing);
  });
  const std::array<Plan::Product, 2> twice{same[0], same[0]};
  test::expect_error(HFFT_ERROR_ARGUMENT, {"field 0 twice"}, [&] { plan.lines(twice); });
  {
    Plan smaller({8, 8, 6}, 1, test::world(), 1);
    const auto table = smaller.table([](auto, auto, auto) { return 1.0; });
    const std::array<Plan::Product, 1> foreign{{{0, {{0, table.get(), nullptr}}}}};
    test::expect_error(HFFT_ERROR_ARGUMENT, {"table"}, [&] { plan.lines(foreign); });
  }
  plan.lines(same);
  test::expect_error(HFFT_ERROR_ARGUMENT, {"axis 2 given for axis 1"}, [&] {
    plan.planes(std::array{Plan::Source{0, &along2, nullptr}}, {}, nothing);
  });
  {
    // A plan keeps n / 2 + 1 factors of axis 1: 5 for 8 bins, and also for 9.
    const std::vector<std::complex<float>> nine(9);
    const auto foreign = Plan({8, 9, 8}, 1, test::world(), 1).factors(1, nine);
    test::expect_error(HFFT_ERROR_ARGUMENT, {"extent 9 along axis 1, expected 8"}, [&] {
      plan.planes(std::array{Plan::Source{0, &foreign, nullptr}}, {}, nothing);
    });
  }
  test::expect_error(HFFT_ERROR_ARGUMENT, {"more than 3"}, [&] {
    plan.planes({}, std::array{0, 1, 0, 1}, nothing);
  });
  const std::array<Plan::Product, 1> empty{{{0, {}}}};
  test::expect_error(HFFT_ERROR_ARGUMENT, {"0 terms"}, [&] { plan.lines(empty); });
  const Plan::Part before{-1, 2, 8}, narrow{0, 2, 3};
  test::expect_error(HFFT_ERROR_ARGUMENT, {"planes -1 to 2"},
                     [&] { plan.planes(before, {}, {}, nothing); });
  test::expect_error(HFFT_ERROR_ARGUMENT, {"has targets"},
                     [&] { plan.planes(narrow, {}, std::array{0}, nothing); });
  // After these refusals the plan still works.
  plan.planes({}, std::array{0}, ones);
  plan.lines(same);
  plan.planes(std::array{Plan::Source{0}}, {}, [](const Plan::Line &l) {
    for (int k = 0; k < 8; ++k)
      EXPECT_NEAR(l.in[0][k], 512, 1e-3);
  });
}

} // namespace
} // namespace hybridfft
