/// Tests the profiles of a plan's stages: operations, bytes and times.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "hybridfft/hybridfft.hpp"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

constexpr std::array<std::ptrdiff_t, 3> extents{16, 12, 10};
constexpr double points = 16 * 12 * 10;
constexpr double half_points = 16 * 12 * 6;

template <Kind K> struct Planned {
  using In = typename Elements<double, K>::In;
  using Out = typename Elements<double, K>::Out;
  Buffer<In> in;
  Buffer<Out> out;
  Plan<double, K> plan;

  explicit Planned(Options options = {.comm = test::world()}) {
    options.effort = Effort::estimate;
    const LocalSizes sizes = local_sizes<double, K>(extents, options);
    in = Buffer<In>(sizes.allocate_in);
    out = Buffer<Out>(sizes.allocate_out);
    plan = Plan<double, K>(extents, in, out, options);
  }
};

double over_ranks(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, test::world());
  return value;
}

template <Kind K> double total_flops(const Options &options) {
  const Planned<K> planned(options);
  double sum = 0;
  for (const hfft_stage_profile &s : planned.plan.profile())
    sum += s.flops;
  return over_ranks(sum);
}

TEST(Profile, Flops_OfAllStages_AddUp) {
  // For any stages, log2(n0) + log2(n1 n2) = log2(N).
  const double all = 5 * points * std::log2(points);
  for (const int threads : {1, 3})
    for (const bool transposed : {false, true}) {
      const Options options{
          .comm = test::world(), .transposed_out = transposed, .threads = threads};
      EXPECT_NEAR(total_flops<Kind::c2c>(options), all, 1e-6 * all);
    }
  // Real planes cost half of complex ones; the columns are those of the half spectrum.
  const double real = 2.5 * points * std::log2(120.0) + 5 * half_points * std::log2(16.0);
  EXPECT_NEAR(total_flops<Kind::r2c>({.comm = test::world(), .transposed_out = true, .threads = 1}),
              real, 1e-6 * real);
}

TEST(Profile, StagesReadAndWriteTheArray) {
  const double complex_bytes = half_points * 16;
  const double real_bytes = points * 8;
  const Planned<Kind::r2c> planned({.comm = test::world(), .transposed_out = true, .threads = 1});
  const auto stages = planned.plan.profile();
  ASSERT_FALSE(stages.empty());
  EXPECT_EQ(std::string(stages.front().name), "planes");
  EXPECT_EQ(std::string(stages.back().name), "columns");
  EXPECT_DOUBLE_EQ(over_ranks(stages.front().bytes), real_bytes + complex_bytes);
  EXPECT_DOUBLE_EQ(over_ranks(stages.back().bytes), 2 * complex_bytes);
  if (test::size_of(test::world()) > 1) {
    ASSERT_EQ(stages.size(), 3U);
    EXPECT_EQ(std::string(stages[1].name), "exchange");
    EXPECT_DOUBLE_EQ(over_ranks(stages[1].bytes), 2 * complex_bytes);
  }
}

void expect_sensible_times() {
  Planned<Kind::c2c> planned;
  constexpr int executions = 20;
  planned.plan.set_profiling(true);
  const double start = MPI_Wtime();
  for (int i = 0; i < executions; ++i)
    planned.plan.execute();
  const double whole = MPI_Wtime() - start;
  double sum = 0;
  for (const hfft_stage_profile &s : planned.plan.profile()) {
    EXPECT_EQ(s.calls, executions) << s.name;
    EXPECT_GE(s.seconds, 0) << s.name;
    EXPECT_LE(s.min_seconds, s.seconds) << s.name;
    EXPECT_GE(s.max_seconds, s.seconds) << s.name;
    EXPECT_LE(s.min_seconds, s.mean_seconds * (1 + 1e-12)) << s.name;
    EXPECT_GE(s.max_seconds * (1 + 1e-12), s.mean_seconds) << s.name;
    sum += s.seconds;
  }
  EXPECT_GT(sum, 0);
  EXPECT_LE(sum, whole);
}

TEST(Profile, TimesAddUpToLessThanTheWhole) { expect_sensible_times(); }

TEST(Profile, NoTimeCountsTwiceInAnyExchange) {
  for (const char *name : {"alltoallv", "shared", "pairwise", "pipelined", "datatypes", "fftw"}) {
    SCOPED_TRACE(name);
    setenv("HFFT_EXCHANGE", name, 1);
    expect_sensible_times();
    unsetenv("HFFT_EXCHANGE");
  }
}

TEST(Profile, MeanSeconds_AverageTheRanks) {
  Planned<Kind::c2c> planned({.comm = test::world(), .transposed_out = true});
  planned.plan.set_profiling(true);
  planned.plan.execute();
  const auto stages = planned.plan.profile();
  for (const hfft_stage_profile &s : stages) {
    // All ranks have the same stages.
    const double mean = over_ranks(s.seconds) / test::size_of(test::world());
    EXPECT_NEAR(s.mean_seconds, mean, 1e-9) << s.name;
  }
}

TEST(Profile, IsOptInAndStartsFromZero) {
  Planned<Kind::c2c> planned;
  const auto calls = [&] { return planned.plan.profile().front().calls; };
  planned.plan.execute();
  EXPECT_EQ(calls(), 0);
  planned.plan.set_profiling(true);
  planned.plan.execute();
  planned.plan.execute();
  EXPECT_EQ(calls(), 2);
  planned.plan.set_profiling(false);
  planned.plan.execute();
  EXPECT_EQ(calls(), 2);
  planned.plan.set_profiling(true);
  EXPECT_EQ(calls(), 0);
  EXPECT_EQ(planned.plan.profile().front().seconds, 0);
}

TEST(Profile, CapacityIsRespected) {
  const Planned<Kind::c2c> planned;
  hfft_stage_profile stages[2] = {};
  int count = 0;
  EXPECT_EQ(hfft_plan_profile(planned.plan.handle(), stages, 1, &count), HFFT_SUCCESS);
  EXPECT_GE(count, 2);
  EXPECT_NE(stages[0].name, nullptr);
  EXPECT_EQ(stages[1].name, nullptr);
  EXPECT_EQ(hfft_plan_profile(planned.plan.handle(), stages, 1, nullptr), HFFT_SUCCESS);
  EXPECT_EQ(hfft_plan_profile(nullptr, stages, 1, &count), HFFT_ERROR_NULL_POINTER);
  EXPECT_EQ(hfftf_plan_set_profiling(nullptr, 1), HFFT_ERROR_NULL_POINTER);
}

/// A program compiled with a later version passes larger structures. The library fills the members
/// it knows, and sets further ones to zero.
TEST(Profile, LargerStructures_KnownMembers_AreFilled) {
  struct Later {
    hfft_stage_profile known;
    double more = 7;
  };
  const Planned<Kind::c2c> planned;
  Later stages[3] = {};
  for (Later &s : stages)
    s.known.size = sizeof(s);
  EXPECT_EQ(hfft_plan_profile(planned.plan.handle(), &stages[0].known, 2, nullptr), HFFT_SUCCESS);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NE(stages[k].known.name, nullptr);
    EXPECT_EQ(stages[k].known.size, sizeof(Later));
    EXPECT_EQ(stages[k].more, 0);
  }
  EXPECT_EQ(stages[2].more, 7);
  stages[0].known.size = test::rank_of(test::world()) == 0 ? 12 : sizeof(Later);
  EXPECT_EQ(hfft_plan_profile(planned.plan.handle(), &stages[0].known, 2, nullptr),
            HFFT_ERROR_ARGUMENT);
  const std::string reason = hfft_last_error_message(); // reason of the first refusing rank
  EXPECT_NE(reason.find("stages[0].size is 12, expected"), std::string::npos) << reason;
}

} // namespace
} // namespace hybridfft
