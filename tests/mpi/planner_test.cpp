/// Tests planning: correct plans for every effort, fewer threads if this is faster, and the time
/// limit.

#include <fftw3.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/mpi_test.h"
#include "verifier/verify.h"

namespace hybridfft {
namespace {

class Planning : public ::testing::Test {
protected:
  void TearDown() override {
    hfft_set_timelimit(HFFT_NO_TIMELIMIT);
    setenv("HFFT_THREADS", "all", 1); // as in all tests
    hfft_forget_wisdom();
  }

  static void expect_verified(const char *text, Effort effort) {
    const auto report = verifier::verify(verifier::parse(text), test::world(), {effort, 1});
    EXPECT_TRUE(report.passed()) << text << "\n" << report.failures();
  }

  /// Returns the description of a plan for side x side x side points.
  static std::string describe(std::ptrdiff_t side, Effort effort, int threads) {
    const std::vector<std::ptrdiff_t> n{side, side, side};
    Options options{.comm = test::world()};
    options.effort = effort;
    options.threads = threads;
    const LocalSizes sizes = local_sizes<float, Kind::c2c>(n, options);
    Buffer<std::complex<float>> in(sizes.allocate_in);
    Buffer<std::complex<float>> out(sizes.allocate_out);
    return Plan<float, Kind::c2c>(n, in, out, options).describe();
  }
};

TEST_F(Planning, EveryEffortGivesRightPlans) {
  setenv("HFFT_THREADS", "fewer", 1);
  for (const char *text : {"of6x5x4", "ifr]8x6x10@2", "sobr[5x6x4"})
    for (const Effort effort : {Effort::estimate, Effort::measure, Effort::patient})
      expect_verified(text, effort);
  expect_verified("sif4x4", Effort::exhaustive);
}

TEST_F(Planning, TinyProblemsRunOnOneThreadUnlessAllAreWanted) {
  setenv("HFFT_THREADS", "fewer", 1);
  EXPECT_NE(describe(4, Effort::estimate, 3).find("1 threads"), std::string::npos);
  setenv("HFFT_THREADS", "all", 1);
  EXPECT_NE(describe(4, Effort::estimate, 3).find("3 threads"), std::string::npos);
}

TEST_F(Planning, AnUnknownValueOfTheVariableIsAnErrorOnAllRanks) {
  const int ranks = test::size_of(test::world());
  if (test::rank_of(test::world()) == ranks - 1) setenv("HFFT_THREADS", "most", 1);
  try {
    describe(4, Effort::estimate, 1);
    ADD_FAILURE() << "planned";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ENVIRONMENT);
    for (const char *word : {"HFFT_THREADS", "'most'", "all", "fewer"})
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
}

TEST_F(Planning, ATimeLimitIsKept) {
  // FFTW alone, with patient planning, would take minutes.
  const auto seconds = [](double limit) {
    // The limit of rank 0 counts.
    hfft_set_timelimit(test::rank_of(test::world()) == 0 ? limit : 1000);
    MPI_Barrier(test::world());
    const double start = MPI_Wtime();
    describe(127, Effort::patient, 1);
    double took = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, test::world());
    return took;
  };
  const double unmeasured = seconds(0);
  // Steps that have begun are finished, and test machines may be busy. FFTW without a limit would
  // take 100 times as long.
  EXPECT_LT(seconds(1), 1 + 2 * unmeasured + 10);
}

// FFTW's planner checks a limit with each rank's own clock, and ranks stopping early would leave
// the others waiting. So neither this library's limit nor the program's limit in FFTW may apply to
// FFTW's collective planning.
TEST_F(Planning, LimitsInFftwDoNotPartTheRanks) {
  for (const char *algorithm : {"fftw", ""}) {
    setenv("HFFT_EXCHANGE", algorithm, 1);
    for (int i = 0; i < 12; ++i) {
      fftw_set_timelimit(0.0003 * (i % 10));
      hfft_set_timelimit(i % 3 == 0 ? HFFT_NO_TIMELIMIT : 0.01 * i);
      const std::ptrdiff_t n0 = 43 + i % 7;
      const std::ptrdiff_t n1 = 4 + i % 5;
      expect_verified(("of" + std::to_string(n0) + "x" + std::to_string(n1)).c_str(),
                      i % 2 == 0 ? Effort::measure : Effort::patient);
      if (i % 4 == 0) hfft_forget_wisdom();
    }
  }
  unsetenv("HFFT_EXCHANGE");
  fftw_set_timelimit(FFTW_NO_TIMELIMIT);
}

TEST_F(Planning, NoTimeGivesRightPlans) {
  hfft_set_timelimit(0);
  expect_verified("of6x5x4", Effort::measure);
  expect_verified("sibr[5x6x8@2", Effort::exhaustive);
}

} // namespace
} // namespace hybridfft
