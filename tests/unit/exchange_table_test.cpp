// The table of exchange algorithms: only the algorithm's own file states its capabilities and cost.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "exchange/exchange.h"

namespace hybridfft::exchange {
namespace {

TEST(ExchangeTable, EveryAlgorithmIsComplete) {
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

/// Searches for names as strings in the sources of planner and execution. "fftw" is also the name
/// of a kernel.
TEST(ExchangeTable, NoAlgorithmIsNamedOutsideItsFile) {
  std::map<std::string, std::set<std::string>> files;
  for (const char *folder : {"exchange", "plan", "fftw3_mpi"})
    for (const auto &entry :
         std::filesystem::directory_iterator(std::string(HFFT_TEST_SOURCES "/lib/") + folder)) {
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      for (const Algorithm &a : algorithms())
        if (!a.fftw && text.str().find("\"" + std::string(a.name) + "\"") != std::string::npos)
          files[a.name].insert(entry.path().filename());
    }
  for (const Algorithm &a : algorithms())
    if (!a.fftw) {
      EXPECT_EQ(files[a.name].size(), 1U) << a.name;
    }
}

} // namespace
} // namespace hybridfft::exchange
