// Loops over boxes, collective agreement on errors, and exchanges of lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/list_exchange.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "support/mpi_test.h"

namespace {

using namespace hybridfft;

class ParallelForTest : public ::testing::TestWithParam<int> {};

TEST_P(ParallelForTest, AnyThreads_VisitsEveryIndexOnce) {
  for (const grid::Box &box : {grid::Box{3, 4, 5}, grid::Box{1, 1, 7}, grid::Box{5, 1, 1},
                               grid::Box{0, 4, 5}, grid::Box{4, 0, 5}, grid::Box{4, 5, 0}}) {
    std::vector<int> count(
        static_cast<std::size_t>(box.extent(0) * box.extent(1) * (box.extent(2) + 1)), 0);
    const grid::View<int> view{count.data(), box.extent(1), box.extent(2) + 1};
    grid::parallel_for(grid::Host{GetParam()}, box,
                       [=](auto i, auto j, auto k) { view(i, j, k) += 1; });
    for (std::size_t at = 0; at < count.size(); ++at) {
      const bool padding = at % static_cast<std::size_t>(box.extent(2) + 1) ==
                           static_cast<std::size_t>(box.extent(2));
      ASSERT_EQ(count[at], padding ? 0 : 1)
          << box.extent(0) << "x" << box.extent(1) << "x" << box.extent(2);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelForTest, ::testing::Values(1, 2, 3, 50));

TEST(ProfileTest, AnyAxis_DependsOnThisAxisOnly) {
  const std::array<int, 3> values{10, 20, 30};
  EXPECT_EQ((grid::Profile<int, 0>{values.data()}(2, 0, 1)), 30);
  EXPECT_EQ((grid::Profile<int, 1>{values.data()}(2, 0, 1)), 10);
  EXPECT_EQ((grid::Profile<int, 2>{values.data()}(2, 0, 1)), 20);
}

TEST(RowsTest, FieldOrSingleRow_ReadsValue) {
  const std::array<int, 12> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  EXPECT_EQ((grid::Rows<int>{values.data(), 6, 3}(1, 1, 2)), 11);
  EXPECT_EQ((grid::Rows<int>{values.data(), 0, 0}(1, 1, 2)), 2);
}

TEST(SeparableTest, TwoAxes_IsTheirProduct) {
  const std::array<int, 3> along{1, 2, 3};
  const std::array<int, 3> across{10, 100, 1000};
  EXPECT_EQ((grid::Separable<int>{along.data(), across.data(), 1, 0}(2, 1, 1)), 2000);
  EXPECT_EQ((grid::Separable<int>{along.data(), across.data(), 0, 1}(2, 1, 0)), 100);
  EXPECT_EQ((grid::Separable<int>{along.data(), across.data(), 0, 0}(2, 1, 2)), 30);
}

TEST(CommunicatorTest, AllRanks_Reduces) {
  const grid::Communicator comm(test::world());
  EXPECT_EQ(comm.max(static_cast<double>(comm.rank())), comm.size() - 1);
  EXPECT_EQ(comm.max(static_cast<std::int64_t>(-comm.rank())), 0);
  EXPECT_EQ(comm.sum(1.0), comm.size());
  EXPECT_EQ(comm.hosts().size(), 1U) << "the test runs on one machine";
}

TEST(CommunicatorTest, LowestPosition_ReachesAllRanks) {
  const grid::Communicator comm(test::world());
  EXPECT_FALSE(comm.argmin({}).found());
  // The last rank has the lowest position, but its value is NaN.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto found = comm.argmin({100 - comm.rank(), comm.rank() == comm.size() - 1 ? nan : 1.0});
  EXPECT_EQ(found.where, 100 - (comm.size() - 1));
  EXPECT_TRUE(std::isnan(found.value));
}

TEST(CommunicatorTest, OneRankFails_AllRanksFail) {
  const grid::Communicator comm(test::world());
  try {
    comm.agree([&] {
      if (comm.rank() == comm.size() - 1) throw std::runtime_error("the last rank fails");
    });
    ADD_FAILURE() << "no exception";
  } catch (const std::exception &e) {
    EXPECT_STREQ(e.what(), "the last rank fails");
  }
}

class ListExchangeTest : public ::testing::TestWithParam<std::ptrdiff_t> {};

// Entry e belongs to rank (7 e + e/3) mod P, so entries are scattered, and some ranks may have
// none.
TEST_P(ListExchangeTest, ScatteredEntries_AreOrderedAsTheList) {
  const grid::Communicator comm(test::world());
  const std::ptrdiff_t total = GetParam();
  std::vector<std::int64_t> own;
  for (std::int64_t e = 0; e < total; ++e)
    if ((7 * e + e / 3) % comm.size() == comm.rank()) own.push_back(e);
  constexpr std::ptrdiff_t max_rows = 3;
  grid::ListExchange<float> exchange(comm, total, own, max_rows);
  EXPECT_EQ(comm.sum(static_cast<double>(exchange.count())), static_cast<double>(total));

  for (std::ptrdiff_t rows = 1; rows <= max_rows; ++rows) {
    std::vector<float> mine;
    for (std::ptrdiff_t row = 0; row < rows; ++row)
      for (const std::int64_t e : own)
        mine.push_back(static_cast<float>(e * 4 + row));
    std::vector<float> piece(static_cast<std::size_t>(rows * exchange.count()), -1.0F);
    exchange.exchange(rows, mine, piece);
    for (std::ptrdiff_t row = 0; row < rows; ++row)
      for (std::ptrdiff_t i = 0; i < exchange.count(); ++i)
        ASSERT_EQ(piece[static_cast<std::size_t>(row * exchange.count() + i)],
                  static_cast<float>((exchange.start() + i) * 4 + row));
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, ListExchangeTest, ::testing::Values(1, 2, 100, 4097, 20000));

} // namespace
