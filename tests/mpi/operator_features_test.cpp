/// Tests the column of operator plans in the table of features (docs/features.md), cell by cell,
/// through the C and the C++ interface. examples.fortran_module covers Fortran.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "hybridfft/layout.hpp"
#include "hybridfft/operators.hpp"
#include "support/mpi_test.h"
#include "support/skipped_cases.h"

namespace hybridfft {
namespace {

using Extents3 = std::array<std::ptrdiff_t, 3>;

constexpr Extents3 grid{12, 10, 16};
constexpr double points = 12 * 10 * 16;
constexpr Extents3 wave{2, 1, 3}; ///< the bin of the wave along each axis

/// Returns a plane wave; each field has its own phase.
double value(std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k, int field) {
  const std::array<std::ptrdiff_t, 3> at{i, j, k};
  double turns = 0.1 * field;
  for (std::size_t a = 0; a < 3; ++a)
    turns += static_cast<double>(wave[a] * at[a]) / static_cast<double>(grid[a]);
  return std::cos(2 * std::numbers::pi * turns);
}

/// Returns a factor for each bin; all differ, so the factor of the wave identifies its bin.
double factor(std::ptrdiff_t k0, std::ptrdiff_t k1, std::ptrdiff_t k2) {
  return 1 / (1 + static_cast<double>(k0) + 0.3 * static_cast<double>(k1 * k1) +
              0.7 * static_cast<double>(k2));
}

/// A filter written in the C and the C++ interface: each of `fields` fields is transformed forward,
/// multiplied by factor(), and transformed backward.
struct Filter {
  int fields = 1;
  int threads = 1;
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<std::vector<double>> results = {}; ///< this rank's planes of each field
  std::string description = {};
  double seconds = 0; ///< time reported by the profile

  std::ptrdiff_t first_plane() const {
    return BlockDistribution(grid[0], test::size_of(comm)).start(test::rank_of(comm));
  }
  void allocate() {
    const auto planes = BlockDistribution(grid[0], test::size_of(comm)).count(test::rank_of(comm));
    results.assign(static_cast<std::size_t>(fields),
                   std::vector<double>(static_cast<std::size_t>(planes * grid[1] * grid[2])));
  }
  void fill(std::ptrdiff_t i, std::ptrdiff_t j, double *const *lines) const {
    for (int f = 0; f < fields; ++f)
      for (std::ptrdiff_t k = 0; k < grid[2]; ++k)
        lines[f][k] = value(first_plane() + i, j, k, f);
  }
  void keep(std::ptrdiff_t i, std::ptrdiff_t j, const double *const *lines) {
    for (std::size_t f = 0; f < results.size(); ++f)
      std::copy_n(lines[f], grid[2], results[f].data() + (i * grid[1] + j) * grid[2]);
  }
};

void run_in_cpp(Filter &filter) {
  using Operators = OperatorPlan<double>;
  Operators plan(grid, filter.fields, filter.comm, filter.threads);
  filter.allocate();
  const auto table = plan.table([](auto... k) { return factor(k...); });
  std::vector<int> all;
  std::vector<Operators::Source> sources;
  std::vector<Operators::Product> products;
  for (int f = 0; f < filter.fields; ++f) {
    all.push_back(f);
    sources.push_back({f});
    products.push_back({f, {{f, table.get()}}});
  }
  plan.planes({}, all, [&](const auto &line) { filter.fill(line.i, line.j, line.scratch); });
  plan.lines(products);
  plan.planes(sources, {}, [&](const auto &line) { filter.keep(line.i, line.j, line.in); });
  filter.description = plan.describe();
  const auto profile = plan.profile();
  filter.seconds = profile.planes + profile.lines + profile.exchange;
}

void run_in_c(Filter &filter) {
  hfft_operator_plan plan =
      hfft_plan_operator(grid[0], grid[1], grid[2], filter.fields, filter.comm, filter.threads);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  filter.allocate();
  const hfft_table table = hfft_operator_table(
      plan,
      [](std::ptrdiff_t k0, std::ptrdiff_t k1, std::ptrdiff_t k2, void *) {
        return factor(k0, k1, k2);
      },
      nullptr);
  ASSERT_NE(table, nullptr) << hfft_last_error_message();
  std::vector<int> all;
  std::vector<hfft_source> sources;
  std::vector<hfft_product> products;
  for (int f = 0; f < filter.fields; ++f) {
    all.push_back(f);
    sources.push_back({f, nullptr, nullptr});
    products.push_back({f, 1, {f, table, nullptr}, {}});
  }
  const auto fill = [](std::ptrdiff_t i, std::ptrdiff_t j, const double *const *,
                       double *const *scratch, const double **,
                       void *user) { static_cast<const Filter *>(user)->fill(i, j, scratch); };
  const auto keep = [](std::ptrdiff_t i, std::ptrdiff_t j, const double *const *in, double *const *,
                       const double **,
                       void *user) { static_cast<Filter *>(user)->keep(i, j, in); };
  EXPECT_EQ(
      hfft_operator_planes(plan, nullptr, 0, nullptr, filter.fields, all.data(), fill, &filter),
      HFFT_SUCCESS);
  EXPECT_EQ(hfft_operator_lines(plan, filter.fields, products.data()), HFFT_SUCCESS);
  EXPECT_EQ(
      hfft_operator_planes(plan, nullptr, filter.fields, sources.data(), 0, nullptr, keep, &filter),
      HFFT_SUCCESS);
  char *text = hfft_operator_describe(plan);
  filter.description = text != nullptr ? text : "";
  std::free(text);
  std::array<double, 3> seconds{};
  EXPECT_EQ(hfft_operator_profile(plan, &seconds[0], &seconds[1], &seconds[2]), HFFT_SUCCESS);
  filter.seconds = seconds[0] + seconds[1] + seconds[2];
  hfft_destroy_table(table);
  hfft_destroy_operator(plan);
}

using Language = void (*)(Filter &);
class OperatorFeatures : public testing::TestWithParam<Language> {
protected:
  void SetUp() override {
    if (!OperatorPlan<double>::supports(grid)) GTEST_SKIP() << test::this_machine << "no kernels";
  }

  static Filter run(const Filter &what) {
    Filter filter = what;
    GetParam()(filter);
    return filter;
  }
};

void expect_filtered(const Filter &filter, const std::string &cell) {
  // Each of the log2(N) stages of the forward and the backward transform adds about one epsilon of
  // the norm of the array.
  const double tolerance = 8 * std::numeric_limits<double>::epsilon() * std::log2(points) * points;
  const double scale = points * factor(wave[0], wave[1], wave[2]);
  double worst = 0;
  for (std::size_t f = 0; f < filter.results.size(); ++f) {
    std::size_t at = 0;
    for (std::ptrdiff_t i = filter.first_plane(); at < filter.results[f].size(); ++i)
      for (std::ptrdiff_t j = 0; j < grid[1]; ++j)
        for (std::ptrdiff_t k = 0; k < grid[2]; ++k)
          worst = std::max(worst, std::abs(filter.results[f][at++] -
                                           scale * value(i, j, k, static_cast<int>(f))));
  }
  EXPECT_LE(worst, tolerance) << cell << "\n" << filter.description;
}

TEST_P(OperatorFeatures, RealFieldsThereAndBack) {
  expect_filtered(run({.comm = test::world()}), "one field");
  expect_filtered(run({.fields = 3, .comm = test::world()}), "fields one after another");
  expect_filtered(run({.threads = 3, .comm = test::world()}), "threads");
}

TEST_P(OperatorFeatures, EveryExchangeServes) {
  for (const char *exchange : {"alltoallv", "shared", "pairwise", "pipelined", "eager"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    expect_filtered(run({.fields = 2, .comm = test::world()}), exchange);
  }
  unsetenv("HFFT_EXCHANGE");
}

TEST_P(OperatorFeatures, RanksAndThreads_SameBits) {
  const Filter alone = run({.comm = MPI_COMM_SELF});
  const Filter together = run({.threads = 2, .comm = test::world()});
  const std::vector<double> &part = together.results[0];
  const double *begin = alone.results[0].data() + together.first_plane() * grid[1] * grid[2];
  EXPECT_TRUE(part.empty() || std::memcmp(part.data(), begin, part.size() * sizeof(double)) == 0);
}

TEST_P(OperatorFeatures, ProfileAndDescription) {
  const Filter filter = run({.comm = test::world()});
  EXPECT_GT(filter.seconds, 0);
  EXPECT_NE(filter.description.find("exchange"), std::string::npos) << filter.description;
}

TEST(OperatorTables, NoFunctionOnOneRankIsAnErrorOnAll) {
  if (!OperatorPlan<double>::supports(grid)) GTEST_SKIP() << test::this_machine << "no kernels";
  hfft_operator_plan plan = hfft_plan_operator(grid[0], grid[1], grid[2], 1, test::world(), 1);
  ASSERT_NE(plan, nullptr) << hfft_last_error_message();
  const bool last = test::rank_of(test::world()) == test::size_of(test::world()) - 1;
  const hfft_table_function ones = [](auto...) { return 1.0; };
  EXPECT_EQ(hfft_operator_table(plan, last ? nullptr : ones, nullptr), nullptr);
  EXPECT_NE(hfft_last_error(), HFFT_SUCCESS);
  hfft_destroy_operator(plan);
}

INSTANTIATE_TEST_SUITE_P(Languages, OperatorFeatures, testing::Values(run_in_c, run_in_cpp),
                         [](const auto &info) { return info.index == 0 ? "C" : "Cpp"; });

/// The library's own kernels support all lengths, including primes. On processors without kernels
/// FFTW's are not used instead.
TEST(OperatorKernels, AllExtentsOrNone) {
  const bool served = OperatorPlan<double>::supports(grid);
  if (const char *set = std::getenv("HFFT_SIMD"); set != nullptr && std::string(set) == "scalar") {
    EXPECT_FALSE(served);
  }
  for (const Extents3 &n : {grid, Extents3{509, 8, 14}}) {
    EXPECT_EQ(OperatorPlan<double>::supports(n), served);
    hfft_operator_plan plan = hfft_plan_operator(n[0], n[1], n[2], 1, test::world(), 1);
    EXPECT_EQ(plan != nullptr, served) << hfft_last_error_message();
    if (!served) {
      EXPECT_EQ(hfft_last_error(), HFFT_ERROR_UNSUPPORTED);
      EXPECT_THROW(OperatorPlan<double>(n, 1, test::world(), 1), Error);
    }
    hfft_destroy_operator(plan);
  }
}

} // namespace
} // namespace hybridfft
