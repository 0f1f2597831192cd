/// Tests every kind, placement and transposition for extents that need different algorithms.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "problem_letters.h"
#include "support/mpi_test.h"
#include "verifier/verify.h"

namespace hybridfft {
namespace {

using verifier::Problem;

/// Composites, primes, ones, fewer planes than ranks, two to five dimensions, howmany.
const std::vector<std::string> extents{"4x6x5",   "7x5x3",   "1x1x1",     "1x9x2",    "5x1x4",
                                       "3x4x1",   "13x2x17", "16x8x4*v3", "6x9",      "11x1",
                                       "1x10*v2", "2x3x4x5", "3x2x1x4x2", "9x10x8*v2"};

void expect_verified(const Problem &problem, Effort effort = Effort::estimate) {
  const verifier::Report report = verifier::verify(problem, test::world(), {effort, 1});
  EXPECT_TRUE(report.passed()) << to_string(problem) << "\n" << report.failures();
}

class Transforms : public ::testing::TestWithParam<std::string> {};

using TransformsSweep = Transforms;

void verify_default_blocks(const std::string &letters, const std::string &n) {
  Problem p = verifier::parse(letters + n);
  p.single = (std::find(extents.begin(), extents.end(), n) - extents.begin()) % 2 == 1;
  if (supported(p)) expect_verified(p);
}

/// Each combination of letters transforms every third array; together they cover all arrays.
TEST_P(Transforms, DefaultBlocks) {
  for (std::size_t i = test::place_of(GetParam()) % 3; i < extents.size(); i += 3)
    verify_default_blocks(GetParam(), extents[i]);
}

TEST_P(TransformsSweep, DefaultBlocks) {
  for (const std::string &n : extents)
    verify_default_blocks(GetParam(), n);
}

TEST_P(Transforms, UnequalUserBlocks) {
  const int ranks = test::size_of(test::world());
  for (const char *n : {"10x7x4", "5x8x3*v2", "9x6"}) {
    Problem p = verifier::parse(GetParam() + n);
    if (!supported(p)) continue;
    const auto complex = complex_extents(p);
    p.block_in = (complex[p.transposed_in ? 1 : 0] + ranks - 1) / ranks + 1;
    p.block_out = complex[p.transposed_out ? 1 : 0];
    expect_verified(p);
    std::swap(p.block_in, p.block_out);
    const auto covers = [&](bool transposed, std::ptrdiff_t block) {
      return block * ranks >= complex[transposed ? 1 : 0];
    };
    if (covers(p.transposed_in, p.block_in) && covers(p.transposed_out, p.block_out))
      expect_verified(p);
  }
}

void verify_threads(const std::string &problem, int threads) {
  Problem p = verifier::parse(problem);
  p.threads = threads;
  if (supported(p)) expect_verified(p);
}

const std::vector<std::string> few_planes{"3x5x4", "2x2x9",  "12x10x6*v2",
                                          "7x4",   "6x1*v5", "3x2x1*v2"};

/// Runs with two, three or four threads; each combination of letters takes one of these numbers.
TEST_P(Transforms, FewerPlanesThanThreads) {
  for (std::size_t i = 0; i < few_planes.size(); ++i)
    verify_threads(GetParam() + few_planes[i],
                   2 + static_cast<int>((test::place_of(GetParam()) + i) % 3));
}

TEST_P(TransformsSweep, FewerPlanesThanThreads) {
  for (const std::string &n : few_planes)
    for (const int threads : {2, 3, 4})
      verify_threads(GetParam() + n, threads);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, Transforms, ::testing::ValuesIn(test::all_letters()),
                         test::name_of_letters);
INSTANTIATE_TEST_SUITE_P(AllKinds, TransformsSweep, ::testing::ValuesIn(test::all_letters()),
                         test::name_of_letters);

/// The reference is serial FFTW, because the definition of the DFT would take too long. The arrays
/// exceed the first-level cache.
TEST(Transforms, LargerThanCaches) {
  for (const char *p : {"of64x48x40", "sifr]64x48x40", "obr[]48x64x36"})
    expect_verified(verifier::parse(p));
}

/// With the widest vectors the lines along the last axis use the four-step algorithm, on one or two
/// lines at a time.
TEST(Transforms, LinesInParts) {
  for (const char *p : {"sof]9x10x128", "ob7x6x96", "sif5x256", "of]6x11x512", "sib]4x5x384@2"})
    expect_verified(verifier::parse(p));
}

TEST(Transforms, MeasuredPlans) {
  for (const char *p : {"of12x10x9", "ifr]8x9x10@2", "sobr[6x12x10", "sib10x12*v2"}) {
    expect_verified(verifier::parse(p), Effort::measure);
    expect_verified(verifier::parse(p), Effort::patient);
  }
}

} // namespace
} // namespace hybridfft
