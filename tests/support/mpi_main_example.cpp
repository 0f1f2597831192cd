/// Tests that fail or skip on purpose: tests/support/CMakeLists.txt runs them one at a time and
/// compares what mpi_main.cpp prints.

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/mpi_test.h"
#include "support/skipped_cases.h"

namespace hybridfft {
namespace {

bool last_rank() { return test::rank_of(test::world()) == test::size_of(test::world()) - 1; }

TEST(Frame, Passes) { EXPECT_TRUE(test::everywhere(true)); }

TEST(Frame, FailsOnTheLastRank) { EXPECT_FALSE(last_rank()) << "on purpose"; }

TEST(Frame, LastRankThrowsWhileOthersWait) {
  if (last_rank()) throw std::runtime_error("on purpose");
  MPI_Barrier(test::world());
}

TEST(Frame, ThrowsEverywhere) { throw std::runtime_error("on purpose"); }

/// Fails on groups of two ranks only.
TEST(Frame, FailsInPairs) { EXPECT_NE(test::size_of(test::world()), 2) << "on purpose"; }

/// The sum over world() counts the ranks of the group only.
TEST(Frame, GroupsAreApart) {
  int ranks = 1;
  MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_SUM, test::world());
  EXPECT_EQ(ranks, test::size_of(test::world()));
  EXPECT_LE(ranks, test::size_of(MPI_COMM_WORLD));
}

TEST(FrameSkips, Everywhere) { GTEST_SKIP() << "on purpose"; }

TEST(FrameSkips, AllButPairs) {
  if (test::size_of(test::world()) != 2) GTEST_SKIP() << "on purpose";
}

TEST(FrameSkips, ForTheMachine) { GTEST_SKIP() << test::this_machine << "has no such thing"; }

} // namespace
} // namespace hybridfft
