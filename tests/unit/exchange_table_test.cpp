// Tests the table of exchange algorithms: names, capabilities and costs.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "exchange/exchange.h"

namespace hybridfft::exchange {
namespace {

TEST(ExchangeTable, EveryAlgorithm_IsComplete) {
  std::set<std::string> names;
  for (const Algorithm &a : algorithms()) {
    EXPECT_TRUE(names.insert(a.name).second) << a.name;
    EXPECT_NE(a.make, nullptr) << a.name;
    EXPECT_GT(a.cost.copies, 0) << a.name;
    EXPECT_GE(a.cost.messages, 1) << a.name;
    EXPECT_TRUE(a.cost.hidden >= 0 && a.cost.hidden < 1) << a.name;
    EXPECT_EQ(a.cost.hidden > 0, a.chunked) << a.name;
    EXPECT_EQ(find_algorithm(a.name), &a);
  }
  EXPECT_EQ(find_algorithm("abacus"), nullptr);
}

} // namespace
} // namespace hybridfft::exchange
