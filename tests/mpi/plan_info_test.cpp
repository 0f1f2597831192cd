/// Tests descriptions of plans and of the library.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "hybridfft/hybridfft.h"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

class PlanInfo : public ::testing::Test {
protected:
  void SetUp() override {
    std::ptrdiff_t ignored[2];
    const std::ptrdiff_t n = hfft_local_size_3d(16, 12, 10, test::world(), ignored, ignored + 1);
    ASSERT_GT(n, 0);
    data_.reset(hfft_alloc_complex(static_cast<std::size_t>(n)));
    ASSERT_NE(data_.get(), nullptr);
  }
  hfft_plan plan(int threads) {
    EXPECT_EQ(hfft_plan_with_nthreads(threads), HFFT_SUCCESS);
    const hfft_plan p = hfft_plan_dft_3d(16, 12, 10, data_.get(), data_.get(), test::world(),
                                         HFFT_FORWARD, HFFT_ESTIMATE);
    EXPECT_EQ(hfft_plan_with_nthreads(0), HFFT_SUCCESS);
    EXPECT_NE(p, nullptr) << hfft_last_error_message();
    return p;
  }
  static std::string describe(hfft_plan p) {
    const std::unique_ptr<char, void (*)(void *)> text(hfft_sprint_plan(p), std::free);
    return text ? text.get() : "";
  }

private:
  struct Free {
    void operator()(hfft_complex *p) const { hfft_free(p); }
  };
  std::unique_ptr<hfft_complex, Free> data_;
};

TEST_F(PlanInfo, DescriptionNamesRanksThreadsAndStages) {
  const hfft_plan p = plan(3);
  const std::string text = describe(p);
  EXPECT_NE(text.find("16x12x10"), std::string::npos) << text;
  EXPECT_NE(text.find("FFT"), std::string::npos) << text;
  EXPECT_NE(text.find("3 thread"), std::string::npos) << text;
  const std::string ranks = std::to_string(test::size_of(test::world())) + " rank";
  EXPECT_NE(text.find(ranks), std::string::npos) << text;
  if (test::size_of(test::world()) > 1) {
    EXPECT_NE(text.find("exchange"), std::string::npos) << text;
  }
  hfft_destroy_plan(p);
}

TEST_F(PlanInfo, DescriptionTellsBytesAndBinding) {
  const hfft_plan p = plan(1);
  const std::string text = describe(p);
  const int rank = test::rank_of(test::world());
  EXPECT_NE(text.find("rank " + std::to_string(rank) + " may run on CPUs "), std::string::npos)
      << text;
  // The first stage reads and writes this rank's planes.
  const int ranks = test::size_of(test::world());
  const int block = (16 + ranks - 1) / ranks;
  const int planes = std::max(0, std::min(block, 16 - rank * block));
  EXPECT_NE(text.find("; " + std::to_string(2 * planes * 12 * 10 * 16) + " bytes\n"),
            std::string::npos)
      << text;
  hfft_destroy_plan(p);
}

TEST_F(PlanInfo, FilePrintingIsTheString) {
  const hfft_plan p = plan(1);
  std::FILE *file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  hfft_fprint_plan(p, file);
  std::rewind(file);
  std::string printed;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    printed += static_cast<char>(c);
  std::fclose(file);
  EXPECT_EQ(printed, describe(p));
  hfft_destroy_plan(p);
}

TEST_F(PlanInfo, WorkingRanks) {
  const hfft_plan p = plan(1);
  int most = 0;
  int fewest = 0;
  EXPECT_EQ(hfft_plan_working_ranks(p, &most, &fewest), HFFT_SUCCESS);
  const auto working = [](int n) {
    const int ranks = test::size_of(test::world());
    const int block = (n + ranks - 1) / ranks;
    return (n + block - 1) / block;
  };
  EXPECT_EQ(most, std::max(working(16), working(12)));
  EXPECT_EQ(fewest, std::min(working(16), working(12)));
  // Work space is at most a few arrays.
  EXPECT_LE(hfft_plan_work_bytes(p), 4U * 16 * 12 * 10 * sizeof(hfft_complex));
  hfft_destroy_plan(p);
}

TEST(Threads, PlannerCountIsRemembered) {
  EXPECT_EQ(hfft_planner_nthreads(), 0);
  EXPECT_EQ(hfft_plan_with_nthreads(3), HFFT_SUCCESS);
  EXPECT_EQ(hfft_planner_nthreads(), 3);
  EXPECT_EQ(hfft_plan_with_nthreads(-2), HFFT_ERROR_ARGUMENT);
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_ARGUMENT);
  EXPECT_NE(std::string(hfft_last_error_message()).find("-2"), std::string::npos);
  EXPECT_EQ(hfft_plan_with_nthreads(100000), HFFT_ERROR_ARGUMENT);
  EXPECT_NE(std::string(hfft_last_error_message()).find("100000, expected 0 (OMP_NUM_THREADS) to"),
            std::string::npos);
  EXPECT_EQ(hfft_planner_nthreads(), 3);
  EXPECT_EQ(hfft_plan_with_nthreads(0), HFFT_SUCCESS);
  EXPECT_EQ(hfft_planner_nthreads(), 0);
}

TEST(Memory, AlignedAndZeroed) {
  for (const std::size_t bytes : {1UL, 63UL, 64UL, 100000UL}) {
    auto *p = static_cast<unsigned char *>(hfftf_malloc(bytes));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 64, 0U);
    for (std::size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(p[i], 0) << "byte " << i;
    std::memset(p, 1, bytes);
    hfftf_free(p);
  }
  hfft_free(nullptr);
  EXPECT_EQ(hfft_alloc_complex(SIZE_MAX / 4), nullptr);
  EXPECT_EQ(hfft_alloc_real(SIZE_MAX / 4), nullptr);
}

TEST(Library, KindOfLength_MatchesItsFactors) {
  for (const std::ptrdiff_t n : {-3, 0, 1, 2, 512, 13 * 11 * 7, 1001 * 30})
    EXPECT_EQ(hfft_kind_of_length(n), HFFT_LENGTH_FAST) << n;
  for (const std::ptrdiff_t n : {17, 2 * 31, 19 * 23 * 29, 17 * 17 * 13})
    EXPECT_EQ(hfft_kind_of_length(n), HFFT_LENGTH_KERNELS) << n;
  for (const std::ptrdiff_t n : {37, 127, 2 * 509, 31 * 41})
    EXPECT_EQ(hfft_kind_of_length(n), HFFT_LENGTH_CONVOLUTION) << n;
  for (const auto &[n, next] : {std::pair<std::ptrdiff_t, std::ptrdiff_t>{-1, 1},
                                {0, 1},
                                {1, 1},
                                {17, 18},
                                {127, 128},
                                {143, 143},
                                {509, 512},
                                {2003, 2016},
                                {(std::ptrdiff_t{1} << 61) + 1, 2305863844919712000},
                                {9223306985706024960, 9223306985706024960},
                                // There is no larger fast length of 63 bits.
                                {9223306985706024961, 0},
                                {PTRDIFF_MAX, 0}})
    EXPECT_EQ(hfft_next_fast_length(n), next) << n;
  EXPECT_EQ(hfft_last_error(), HFFT_ERROR_OVERFLOW);
  for (std::ptrdiff_t n = 1; n < 3000; ++n) {
    std::ptrdiff_t next = n;
    while (hfft_kind_of_length(next) != HFFT_LENGTH_FAST)
      ++next;
    ASSERT_EQ(hfft_next_fast_length(n), next);
  }
}

TEST(Library, NamesItself) {
  EXPECT_STREQ(hfft_version(), HFFT_TEST_VERSION);
  EXPECT_STREQ(HFFT_VERSION, HFFT_TEST_VERSION);
  EXPECT_EQ(std::to_string(HFFT_VERSION_MAJOR) + "." + std::to_string(HFFT_VERSION_MINOR) + "." +
                std::to_string(HFFT_VERSION_PATCH),
            HFFT_TEST_VERSION);
  EXPECT_GT(HFFT_VERSION_NUMBER, HFFT_MAKE_VERSION(0, 2, 999));
  EXPECT_NE(std::string(hfft_build_info()).find("FFTW"), std::string::npos);
}

} // namespace
} // namespace hybridfft
