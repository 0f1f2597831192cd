/// Tests many plans at once, and plans whose communicator is freed before them.

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <vector>

#include "communicator_count.h"
#include "support/mpi_test.h"
#include "verifier/verify.h"

namespace hybridfft {
namespace {

class Lifetime : public ::testing::Test {
protected:
  static constexpr std::ptrdiff_t n = 4;

  hfft_plan plan(MPI_Comm comm, unsigned flags = HFFT_ESTIMATE) {
    return hfft_plan_dft_3d(n, n, n, complex(in_), complex(out_), comm, HFFT_FORWARD, flags);
  }

  /// Expects the transform of ones: n^3 at the origin and zeros elsewhere, exactly for a power of
  /// two.
  void expect_right(hfft_plan p, MPI_Comm comm) {
    std::ptrdiff_t count = 0;
    std::ptrdiff_t start = 0;
    hfft_local_size_3d(n, n, n, comm, &count, &start);
    for (auto &x : in_)
      x = 1;
    ASSERT_EQ(hfft_execute(p), HFFT_SUCCESS) << hfft_last_error_message();
    for (std::ptrdiff_t i = 0; i < count * n * n; ++i)
      EXPECT_EQ(out_[static_cast<std::size_t>(i)],
                std::complex<double>(start == 0 && i == 0 ? n * n * n : 0))
          << "element " << i;
  }

  void expect_verified(MPI_Comm comm) {
    for (const char *text : {"of]5x4x3", "sifr7x3x4"}) {
      const auto report = verifier::verify(verifier::parse(text), comm);
      EXPECT_TRUE(report.passed()) << text << "\n" << report.failures();
    }
  }

private:
  static hfft_complex *complex(std::vector<std::complex<double>> &v) {
    return reinterpret_cast<hfft_complex *>(v.data());
  }
  // On one rank the arrays contain all points, and room for work space.
  std::vector<std::complex<double>> in_ = std::vector<std::complex<double>>(4 * n * n * n);
  std::vector<std::complex<double>> out_ = in_;
};

/// If ranks share cores, each reduction waits until all ranks have run, so the time to make a plan
/// grows with the number of reductions.
TEST_F(Lifetime, ALaterPlanTakesFewReductions) {
  constexpr int most = 9; // the limit holds for shared memory; other exchanges need fewer
  hfft_destroy_plan(plan(test::world()));
  const int before = test::reductions();
  hfft_plan later = plan(test::world());
  const int taken = test::reductions() - before;
  ASSERT_NE(later, nullptr) << hfft_last_error_message();
  EXPECT_GT(taken, 0) << "the counter does not count";
  EXPECT_LE(taken, most);
  expect_right(later, test::world());
  hfft_destroy_plan(later);
}

TEST_F(Lifetime, PlansBetweenLayoutsShareTheirCommunicator) {
  const std::vector<std::ptrdiff_t> extents{n, n, n};
  const int ranks = test::size_of(test::world());
  const Layout rows = Layout::grid(extents, std::vector<int>{1, ranks, 1});
  const Layout columns = Layout::grid(extents, std::vector<int>{1, 1, ranks});
  std::vector<std::complex<double>> a(n * n * n);
  std::vector<std::complex<double>> b(n * n * n);
  std::vector<Plan<double, Kind::c2c>> plans;
  int after_first = 0;
  for (int i = 0; i < 50; ++i) {
    Options options{.comm = test::world()};
    options.effort = i == 1 ? Effort::measure : Effort::estimate;
    plans.emplace_back(i % 2 == 0 ? rows : columns, i % 3 == 0 ? rows : columns, a, b, options);
    if (i == 1) after_first = test::live_communicators();
  }
  EXPECT_EQ(test::live_communicators(), after_first);
}

/// Forgets measured wisdom first, because it may prefer FFTW's transposition.
/// MeasuredPlansStopTakingCommunicators tests such plans.
TEST_F(Lifetime, FiveHundredPlansAtOnceShareTheirCommunicators) {
  std::vector<hfft_plan> plans{plan(test::world()), plan(test::world(), HFFT_MEASURE)};
  hfft_forget_wisdom();
  const int after_first = test::live_communicators();
  for (int i = 0; i < 498; ++i)
    plans.push_back(plan(test::world()));
  for (const hfft_plan p : plans)
    ASSERT_NE(p, nullptr) << hfft_last_error_message();
  EXPECT_LE(test::live_communicators(), after_first) << "communicators grow with plans";
  expect_right(plans.front(), test::world());
  expect_right(plans.back(), test::world());
  for (const hfft_plan p : plans)
    hfft_destroy_plan(p);
  EXPECT_LE(test::live_communicators(), after_first);
}

/// Measuring may choose FFTW's transposition. Each plan with it holds a few communicators. The
/// library must stop choosing this transposition long before 300 plans exist.
TEST_F(Lifetime, MeasuredPlansStopTakingCommunicators) {
  const int before = test::live_communicators();
  std::vector<hfft_plan> plans;
  for (int i = 0; i < 300; ++i)
    plans.push_back(plan(test::world(), HFFT_MEASURE));
  EXPECT_LE(test::live_communicators() - before, 200);
  expect_right(plans.back(), test::world());
  for (const hfft_plan p : plans)
    hfft_destroy_plan(p);
}

/// Plans of one communicator also share one window.
TEST_F(Lifetime, ManyPlansThroughSharedMemory) {
  setenv("HFFT_EXCHANGE", "shared", 1);
  hfft_plan first = plan(test::world());
  const int after_first = test::live_communicators();
  std::vector<hfft_plan> plans;
  for (int i = 0; i < 300; ++i)
    plans.push_back(plan(test::world()));
  EXPECT_LE(test::live_communicators(), after_first);
  expect_right(plans.back(), test::world());
  hfft_destroy_plan(plans.back());
  plans.pop_back();
  expect_right(first, test::world());
  hfft_destroy_plan(first);
  expect_right(plans.front(), test::world());
  for (const hfft_plan p : plans)
    hfft_destroy_plan(p);
  // The communicator is freed before its plans are.
  MPI_Comm dup = MPI_COMM_NULL;
  MPI_Comm_dup(test::world(), &dup);
  first = plan(dup);
  MPI_Comm_free(&dup);
  expect_right(first, test::world());
  hfft_cleanup();
  expect_right(first, test::world());
  hfft_destroy_plan(first);
  unsetenv("HFFT_EXCHANGE");
  EXPECT_LE(test::live_communicators(), after_first);
}

TEST_F(Lifetime, FiveThousandPlansOneAfterTheOther) {
  hfft_destroy_plan(plan(test::world()));
  const int after_first = test::live_communicators();
  for (int i = 0; i < 5000; ++i) {
    const hfft_plan p = plan(test::world());
    ASSERT_NE(p, nullptr) << "plan " << i << ": " << hfft_last_error_message();
    if (i == 4999) expect_right(p, test::world());
    hfft_destroy_plan(p);
  }
  EXPECT_LE(test::live_communicators(), after_first);
}

TEST_F(Lifetime, DuplicatedCommunicatorsAreReleased) {
  const auto use_and_free = [&] {
    MPI_Comm dup = MPI_COMM_NULL;
    MPI_Comm_dup(test::world(), &dup);
    const int before = test::live_communicators();
    const hfft_plan p = plan(dup);
    EXPECT_NE(p, nullptr) << hfft_last_error_message();
    EXPECT_GT(test::live_communicators(), before) << "the library's own one is not counted";
    expect_right(p, dup);
    hfft_destroy_plan(p);
    MPI_Comm_free(&dup);
  };
  use_and_free();
  const int after_first = test::live_communicators();
  for (int i = 0; i < 100; ++i)
    use_and_free();
  EXPECT_LE(test::live_communicators(), after_first) << "communicators grow with communicators";
}

TEST_F(Lifetime, PlansOutliveTheirCommunicator) {
  MPI_Comm dup = MPI_COMM_NULL;
  MPI_Comm_dup(test::world(), &dup);
  const hfft_plan p = plan(dup);
  MPI_Comm_free(&dup);
  ASSERT_NE(p, nullptr) << hfft_last_error_message();
  expect_right(p, test::world());

  // A new communicator may get the handle of the old one, but its ranks are in another order.
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(test::world(), 0, -test::rank_of(test::world()), &reversed);
  expect_verified(reversed);
  expect_right(p, test::world());
  hfft_destroy_plan(p);
  MPI_Comm_free(&reversed);
}

TEST_F(Lifetime, PartsOfTheWorld) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(test::world(), test::rank_of(test::world()) % 2, 0, &half);
  expect_verified(half);
  // The even and the odd ranks are independent: only the even ones transform here.
  if (test::rank_of(test::world()) % 2 == 0) expect_verified(half);
  MPI_Comm_free(&half);
  expect_verified(MPI_COMM_SELF);
}

TEST_F(Lifetime, CleanupLeavesPlansAlive) {
  const hfft_plan p = plan(test::world());
  ASSERT_NE(p, nullptr) << hfft_last_error_message();
  hfft_cleanup();
  expect_right(p, test::world());
  expect_verified(test::world());
  EXPECT_EQ(hfft_init(), HFFT_SUCCESS);
  expect_right(p, test::world());
  hfft_destroy_plan(p);
}

} // namespace
} // namespace hybridfft
