// Tests the table of exchange algorithms: names, places, capabilities and costs.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "exchange/exchange.h"

namespace hybridfft::exchange {
namespace {

TEST(ExchangeTable, EveryAlgorithm_IsComplete) {
  std::set<std::string> names;
  std::set<int> places;
  for (const Algorithm &a : algorithms()) {
    EXPECT_TRUE(names.insert(a.name).second) << a.name;
    EXPECT_TRUE(places.insert(a.place).second) << a.name;
    EXPECT_NE(a.make, nullptr) << a.name;
    EXPECT_GT(a.cost.copies, 0) << a.name;
    EXPECT_GE(a.cost.messages, 1) << a.name;
    EXPECT_TRUE(a.cost.hidden >= 0 && a.cost.hidden < 1) << a.name;
    EXPECT_EQ(a.cost.hidden > 0, a.chunked) << a.name;
    EXPECT_EQ(find_algorithm(a.name), &a);
  }
  ASSERT_EQ(algorithms_by_place().size(), algorithms().size());
  for (std::size_t i = 1; i < algorithms().size(); ++i)
    EXPECT_LT(algorithms_by_place()[i - 1]->place, algorithms_by_place()[i]->place);
  EXPECT_EQ(find_algorithm("abacus"), nullptr);
}

} // namespace
} // namespace hybridfft::exchange
