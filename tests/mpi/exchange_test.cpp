/// Each exchange algorithm forced by HFFT_EXCHANGE.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support/mpi_test.h"
#include "support/verify/verify.h"

namespace hybridfft {
namespace {

/// The environment variable for the time of a test, on every rank.
class Forced {
public:
  explicit Forced(const std::string &name) { setenv("HFFT_EXCHANGE", name.c_str(), 1); }
  ~Forced() { unsetenv("HFFT_EXCHANGE"); }
  Forced(const Forced &) = delete;
  Forced &operator=(const Forced &) = delete;
};

class Exchanges : public ::testing::TestWithParam<std::string> {};

TEST_P(Exchanges, AreRightForEveryShape) {
  const Forced forced(GetParam());
  for (const char *text : {"of12x10x6", "if12x10x6", "ob]7x5x3", "ib[7x5x3", "ofr]9x8x10",
                           "ifr6x7x5*v2", "sobr[8x9x7", "sibr5x6x8", "sof[]3x11x4*v3", "sif2x3",
                           "of]1x9x4", "if9x1x4", "ifr]4x6x3x2@2", "ob5x7@3"}) {
    for (const Effort effort : {Effort::estimate, Effort::measure}) {
      const auto report = verifier::verify(verifier::parse(text), MPI_COMM_WORLD, {effort, 1});
      EXPECT_TRUE(report.passed()) << text << "\n" << report.failures();
    }
  }
}

TEST_P(Exchanges, AreNamedByThePlan) {
  const Forced forced(GetParam());
  const std::vector<std::ptrdiff_t> n{8, 6, 4};
  Options options;
  options.effort = Effort::estimate;
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(n, options);
  Buffer<std::complex<double>> in(sizes.allocate_in);
  Buffer<std::complex<double>> out(sizes.allocate_out);
  const Plan<double, Kind::c2c> plan(n, in, out, options);
  if (test::size_of(MPI_COMM_WORLD) == 1) {
    EXPECT_FALSE(plan.describe().empty());
  } else {
    EXPECT_NE(plan.describe().find(GetParam()), std::string::npos) << plan.describe();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Exchanges, ::testing::Values("alltoallv", "fftw"),
                         [](const auto &info) { return info.param; });

TEST(ExchangeVariable, UnknownNamesAreErrors) {
  const Forced forced("carrier-pigeon");
  hfft_complex *in = hfft_alloc_complex(64);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(hfft_plan_dft_3d(4, 4, 4, in, in, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_ENVIRONMENT);
  const std::string message = hfft_last_error_message();
  for (const char *word : {"HFFT_EXCHANGE", "carrier-pigeon", "alltoallv", "fftw"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
  hfft_free(in);
}

TEST(ExchangeVariable, AnotherNameOnOneRankIsAnErrorOnAll) {
  const int ranks = test::size_of(MPI_COMM_WORLD);
  if (ranks == 1) GTEST_SKIP() << "needs two ranks";
  const Forced forced(test::rank_of(MPI_COMM_WORLD) == ranks - 1 ? "carrier-pigeon" : "alltoallv");
  hfft_complex *in = hfft_alloc_complex(64);
  ASSERT_NE(in, nullptr);
  EXPECT_EQ(hfft_plan_dft_3d(4, 4, 4, in, in, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE),
            nullptr);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_ENVIRONMENT);
  hfft_free(in);
}

} // namespace
} // namespace hybridfft
