/// Compares local_size_* with FFTW-MPI's functions: both must have the same distributions.

#include <fftw3-mpi.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "hybridfft/hybridfft.h"
#include "support/mpi_test.h"

namespace hybridfft {
namespace {

struct Answer {
  std::ptrdiff_t allocate = 0;
  std::ptrdiff_t n0 = -1, start0 = -1, n1 = -1, start1 = -1;
};

/// Expects the same ranges. FFTW's empty ranges start at 0, this library's at n.
void expect_like_fftw(const Answer &ours, const Answer &theirs, const std::ptrdiff_t *n) {
  EXPECT_EQ(ours.n0, theirs.n0);
  EXPECT_EQ(ours.n1, theirs.n1);
  EXPECT_EQ(ours.start0, theirs.n0 == 0 ? n[0] : theirs.start0);
  EXPECT_EQ(ours.start1, theirs.n1 == 0 ? n[1] : theirs.start1);
}

class LocalSize : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    fftw_mpi_init();
    fftwf_mpi_init();
  }
};

const std::vector<std::vector<std::ptrdiff_t>> extents{
    {1, 1},    {2, 3},     {16, 16},   {100, 7},  {7, 100},     {1, 1, 1},      {8, 8, 8},
    {9, 5, 7}, {3, 17, 2}, {31, 1, 4}, {1, 9, 1}, {4, 3, 2, 5}, {2, 2, 2, 2, 2}};

TEST_F(LocalSize, DefaultBlocks) {
  for (const auto &n : extents)
    for (const std::ptrdiff_t howmany : {1, 3}) {
      const int d = static_cast<int>(n.size());
      Answer ours;
      Answer theirs;
      ours.allocate =
          hfft_local_size_many_transposed(d, n.data(), howmany, 0, 0, test::world(), &ours.n0,
                                          &ours.start0, &ours.n1, &ours.start1);
      theirs.allocate =
          fftw_mpi_local_size_many_transposed(d, n.data(), howmany, 0, 0, test::world(), &theirs.n0,
                                              &theirs.start0, &theirs.n1, &theirs.start1);
      SCOPED_TRACE(::testing::PrintToString(n));
      expect_like_fftw(ours, theirs, n.data());
      std::ptrdiff_t rest = howmany;
      for (int i = 2; i < d; ++i)
        rest *= n[static_cast<std::size_t>(i)];
      EXPECT_GE(ours.allocate, std::max(ours.n0 * n[1], ours.n1 * n[0]) * rest);
      EXPECT_GE(ours.allocate, 1);
    }
}

TEST_F(LocalSize, UserBlocks) {
  const std::ptrdiff_t ranks = test::size_of(test::world());
  for (const auto &n : extents)
    for (const std::ptrdiff_t extra0 : {0, 1, 5})
      for (const std::ptrdiff_t extra1 : {0, 2}) {
        const int d = static_cast<int>(n.size());
        const std::ptrdiff_t block0 = (n[0] + ranks - 1) / ranks + extra0;
        const std::ptrdiff_t block1 = (n[1] + ranks - 1) / ranks + extra1;
        // FFTW does not distribute an axis that fits one block: every rank gets all of it.
        if (ranks > 1 && (block0 >= n[0] || block1 >= n[1])) continue;
        Answer ours;
        Answer theirs;
        ours.allocate =
            hfftf_local_size_many_transposed(d, n.data(), 2, block0, block1, test::world(),
                                             &ours.n0, &ours.start0, &ours.n1, &ours.start1);
        theirs.allocate = fftwf_mpi_local_size_many_transposed(
            d, n.data(), 2, block0, block1, test::world(), &theirs.n0, &theirs.start0, &theirs.n1,
            &theirs.start1);
        SCOPED_TRACE(::testing::PrintToString(n));
        expect_like_fftw(ours, theirs, n.data());
      }
}

TEST_F(LocalSize, TheOtherFormsSayTheSame) {
  const std::vector<std::ptrdiff_t> n{11, 6, 5};
  const MPI_Comm comm = test::world();
  Answer all;
  all.allocate = hfft_local_size_many_transposed(3, n.data(), 1, 0, 0, comm, &all.n0, &all.start0,
                                                 &all.n1, &all.start1);
  const auto expect_same = [&](std::ptrdiff_t allocate, const Answer &a, bool both) {
    EXPECT_GE(allocate, a.n0 * n[1] * n[2]);
    EXPECT_EQ(a.n0, all.n0);
    EXPECT_EQ(a.start0, all.start0);
    if (!both) return;
    EXPECT_EQ(allocate, all.allocate);
    EXPECT_EQ(a.n1, all.n1);
    EXPECT_EQ(a.start1, all.start1);
  };
  Answer a;
  expect_same(hfft_local_size_many(3, n.data(), 1, 0, comm, &a.n0, &a.start0), a, false);
  a = {};
  expect_same(hfft_local_size(3, n.data(), comm, &a.n0, &a.start0), a, false);
  a = {};
  expect_same(hfft_local_size_3d(11, 6, 5, comm, &a.n0, &a.start0), a, false);
  a = {};
  expect_same(hfft_local_size_transposed(3, n.data(), comm, &a.n0, &a.start0, &a.n1, &a.start1), a,
              true);
  a = {};
  expect_same(hfft_local_size_3d_transposed(11, 6, 5, comm, &a.n0, &a.start0, &a.n1, &a.start1), a,
              true);

  Answer flat;
  Answer same;
  flat.allocate =
      hfft_local_size_transposed(2, n.data(), comm, &flat.n0, &flat.start0, &flat.n1, &flat.start1);
  same.allocate =
      hfft_local_size_2d_transposed(11, 6, comm, &same.n0, &same.start0, &same.n1, &same.start1);
  EXPECT_EQ(flat.allocate, same.allocate);
  EXPECT_EQ(flat.n0, same.n0);
  EXPECT_EQ(flat.n1, same.n1);
  EXPECT_GE(hfft_local_size_2d(11, 6, comm, &same.n0, &same.start0), flat.n0 * 6);
  EXPECT_EQ(flat.n0, same.n0);
  EXPECT_EQ(flat.start0, same.start0);
}

} // namespace
} // namespace hybridfft
