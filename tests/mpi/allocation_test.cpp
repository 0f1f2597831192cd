/// Counts memory allocated by executions of plans: there must be none.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "allocation_count.h"
#include "support/mpi_test.h"
#include "verifier/trial.h"

namespace hybridfft {
namespace {

class Allocation : public ::testing::TestWithParam<std::string> {};

void expect_none_while_executing(const std::string &problem, bool profiled = false,
                                 unsigned more_flags = 0) {
  using Api = verifier::Library<double>;
  const verifier::Problem p = verifier::parse(problem);
  const auto elements =
      static_cast<std::size_t>(verifier::local_arrays<double>(p, test::world()).elements);
  std::vector<double> in(2 * elements);
  std::vector<double> out(2 * elements);
  double *to = p.in_place ? in.data() : out.data();
  const unsigned flags = HFFT_ESTIMATE | more_flags |
                         (p.transposed_out ? HFFT_TRANSPOSED_OUT : 0U) |
                         (p.transposed_in ? HFFT_TRANSPOSED_IN : 0U);
  Api::set_threads(p.threads);
  test::start_counting();
  const Api::Handle plan = Api::plan(p, in.data(), to, test::world(), flags);
  const test::Allocations planning = test::stop_counting();
  Api::set_threads(0);
  ASSERT_TRUE(test::everywhere(plan != nullptr)) << Api::last_error();
  EXPECT_GT(planning.calls, 0U) << "the counter does not count";
  EXPECT_GT(planning.cpp_calls, 0U) << "the counter does not count operator new";
  if (profiled) {
    ASSERT_EQ(hfft_plan_set_profiling(plan, 1), HFFT_SUCCESS);
  }

  const auto execute = [&] {
    if ((more_flags & HFFT_NONBLOCKING) == 0) return Api::execute(plan);
    int done = 0;
    int code = hfft_execute_start(plan);
    code = std::max(code, hfft_execute_test(plan, &done));
    return std::max(code, hfft_execute_wait(plan));
  };
  // MPI connects ranks and OpenMP starts threads in the first executions.
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(execute(), HFFT_SUCCESS) << Api::last_error();
  MPI_Barrier(test::world());
  test::start_counting();
  int code = HFFT_SUCCESS;
  for (int i = 0; i < 5; ++i)
    code = std::max(code, execute());
  const test::Allocations executing = test::stop_counting();
  EXPECT_EQ(code, HFFT_SUCCESS);
  EXPECT_EQ(executing.cpp_calls, 0U);
  // With several ranks MPI may allocate memory for its own messages, but not for arrays.
  if (test::size_of(test::world()) == 1) {
    EXPECT_EQ(executing.calls, 0U);
  } else {
    EXPECT_LT(executing.largest, 128U * 1024U);
  }
  Api::destroy(plan);
}

TEST_P(Allocation, NoneWhileExecuting) { expect_none_while_executing(GetParam()); }

TEST_P(Allocation, NoneWithNarrowMessages) {
  expect_none_while_executing(GetParam(), false, HFFT_WIRE_SINGLE);
}

TEST_P(Allocation, NoneInTheBackground) {
  expect_none_while_executing(GetParam(), false, HFFT_NONBLOCKING | HFFT_WIRE_SINGLE);
}

TEST_P(Allocation, NoneInAnyExchange) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "one rank needs no exchange";
  for (const char *name : {"shared", "pairwise", "pipelined", "eager", "datatypes", "fftw"}) {
    SCOPED_TRACE(name);
    setenv("HFFT_EXCHANGE", name, 1);
    expect_none_while_executing(GetParam());
    unsetenv("HFFT_EXCHANGE");
  }
}

TEST(SwapAllocation, NoneWhileExecuting) {
  if (test::size_of(test::world()) == 1) GTEST_SKIP() << "one rank needs no exchange";
  setenv("HFFT_EXCHANGE", "swap", 1);
  const std::string n = std::to_string(12 * test::size_of(test::world()));
  expect_none_while_executing("if" + n + "x" + n + "x20@2");
  unsetenv("HFFT_EXCHANGE");
}

TEST(RecordedAllocation, NoneInAnyExchange) {
  setenv("HFFT_TRACE", HFFT_TEST_SCRATCH "/allocation_trace.json", 1);
  for (const char *name : {"alltoallv", "shared", "pipelined"}) {
    SCOPED_TRACE(name);
    setenv("HFFT_EXCHANGE", name, 1);
    expect_none_while_executing("of64x64x32@2", true);
    unsetenv("HFFT_EXCHANGE");
  }
  unsetenv("HFFT_TRACE");
}

/// Expects no allocation in executions of several fields between two layouts.
void expect_none_between_layouts(Fields fields, Options options) {
  const std::vector<std::ptrdiff_t> n{64, 48, 40};
  const int ranks = test::size_of(test::world());
  const Layout in = Layout::grid(n, {1, ranks, 1}, {{}, {}, 4, fields});
  const Layout out = Layout::grid(options.modes.empty() ? n : options.modes, {1, 1, ranks},
                                  {{2, 1, 0}, {}, 4, fields});
  options.effort = Effort::estimate;
  options.threads = 2;
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(in, out, options);
  Buffer<std::complex<double>> a(sizes.allocate_in);
  Buffer<std::complex<double>> b(sizes.allocate_out);
  Plan<double, Kind::c2c> plan(in, out, a, b, options);
  const auto execute = [&] {
    if (!options.nonblocking) return plan.execute();
    plan.start();
    plan.wait();
  };
  for (int i = 0; i < 3; ++i)
    execute();
  MPI_Barrier(test::world());
  test::start_counting();
  for (int i = 0; i < 5; ++i)
    execute();
  const test::Allocations executing = test::stop_counting();
  EXPECT_EQ(executing.cpp_calls, 0U);
  EXPECT_LT(executing.largest, ranks == 1 ? 1U : 128U * 1024U);
}

/// Tests complete transforms, pruned transforms and redistributions of several fields, interleaved
/// and separate, with and without HFFT_NONBLOCKING.
TEST(LayoutAllocation, None) {
  for (const Fields fields : {Fields::interleaved, Fields::separate})
    for (const bool nonblocking : {false, true}) {
      Options options{.comm = test::world()};
      options.nonblocking = nonblocking;
      expect_none_between_layouts(fields, options);
      options.modes = {48, 36, 27};
      expect_none_between_layouts(fields, options);
      options.modes = {};
      options.redistribute_only = true;
      expect_none_between_layouts(fields, options);
    }
}

// On up to 8 ranks each rank has arrays of more than 128 KiB, the limit for MPI's allocations.
INSTANTIATE_TEST_SUITE_P(Kinds, Allocation,
                         ::testing::Values("of64x64x32", "if64x64x32@2", "of]64x48x40*v2",
                                           "ofr]64x64x60", "ibr[64x60x64@2", "ifr64x67x64",
                                           "if512x256"),
                         [](const auto &info) { return test::test_name(info.param); });

} // namespace
} // namespace hybridfft
