/// Tests that fail on purpose, to see that the frame reports them. Filtered by name, one at a time.

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/mpi_test.h"

namespace hybridfft {
namespace {

bool last_rank() { return test::rank_of(MPI_COMM_WORLD) == test::size_of(MPI_COMM_WORLD) - 1; }

TEST(Frame, Passes) { EXPECT_TRUE(test::everywhere(true)); }

TEST(Frame, FailsOnTheLastRank) { EXPECT_FALSE(last_rank()) << "on purpose"; }

TEST(Frame, LastRankThrowsWhileOthersWait) {
  if (last_rank()) throw std::runtime_error("on purpose");
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Frame, ThrowsEverywhere) { throw std::runtime_error("on purpose"); }

} // namespace
} // namespace hybridfft
