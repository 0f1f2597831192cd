// Tests that the table of environment variables equals docs/environment.md, and contains the
// accepted values.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "base/environment.h"
#include "base/error.h"
#include "exchange/exchange.h"
#include "simd/instruction_set.h"

namespace {

using hybridfft::environment_variables;
using hybridfft::EnvironmentVariable;

/// Removes Markdown's marks of code, and replaces links by their text.
std::string plain(const std::string &markdown) {
  const std::string text =
      std::regex_replace(markdown, std::regex("\\[([^\\]]*)\\]\\([^)]*\\)"), "$1");
  return std::regex_replace(text, std::regex("`"), "");
}

/// Returns the rows of the section Environment of the page, as "name | values | meaning".
std::vector<std::string> rows_of_page() {
  std::ifstream file(HFFT_TEST_PAGE);
  std::vector<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("## ", 0) == 0) inside = line == "## Environment";
    if (inside && line.rfind("| `", 0) == 0) rows.push_back(plain(line));
  }
  return rows;
}

TEST(Environment, Table_OfThePage_Matches) {
  std::vector<std::string> rows;
  for (const EnvironmentVariable &v : environment_variables())
    rows.push_back(std::string("| ") + v.name + " | " + v.values + " | " + v.meaning + " |");
  EXPECT_EQ(rows, rows_of_page());
}

std::string values_of(const std::string &name) {
  for (const EnvironmentVariable &v : environment_variables())
    if (v.name == name) return v.values;
  return "";
}

TEST(Environment, IgnoredValue_SameAndOtherValue_CountsAsNotSetUntilItChanges) {
  const std::vector<std::string> words{"all", "fewer"};
  setenv("HFFT_THREADS", "some", 1);
  EXPECT_EQ(hybridfft::environment_value("HFFT_THREADS"), "some");
  hybridfft::ignore_environment("HFFT_THREADS");
  EXPECT_EQ(hybridfft::environment_value("HFFT_THREADS"), "");
  EXPECT_EQ(hybridfft::word_of_environment("HFFT_THREADS", words), "");
  setenv("HFFT_THREADS", "all", 1);
  EXPECT_EQ(hybridfft::word_of_environment("HFFT_THREADS", words), "all");
  unsetenv("HFFT_THREADS");
  EXPECT_EQ(hybridfft::environment_value("HFFT_THREADS"), "");
}

TEST(Environment, WrongVariable_Reason_NamesVariableValueAndExpectedOnes) {
  const hybridfft::Failure e = hybridfft::wrong_variable("HFFT_TRACE", "a b", "a file");
  EXPECT_EQ(e.code(), HFFT_ERROR_ENVIRONMENT);
  const std::string reason = e.what();
  EXPECT_NE(reason.find("'a b', expected a file"), std::string::npos) << reason;
  EXPECT_EQ(hybridfft::variable_of(reason), "HFFT_TRACE");
  EXPECT_EQ(hybridfft::variable_of("n is 0, expected 1 or more"), "");
}

TEST(Environment, ExchangeValues_AreTheNamesOfAlgorithms) {
  std::string names;
  for (const auto &a : hybridfft::exchange::algorithms())
    names += (names.empty() ? "" : ", ") + std::string(a.name);
  EXPECT_EQ(values_of("HFFT_EXCHANGE"), names);
}

/// The table names the instruction sets of all processor families. A build has only those of one.
TEST(Environment, TableNamesTheInstructionSets) {
#if defined(__aarch64__)
  const std::set<std::string> of_others{"sse2", "avx", "avx2", "avx512"};
#else
  const std::set<std::string> of_others{"neon"};
#endif
  std::string names;
  std::istringstream listed(std::regex_replace(values_of("HFFT_SIMD"), std::regex(","), ""));
  for (std::string name; listed >> name;)
    if (!of_others.contains(name)) names += name + " ";
  std::string expected;
  for (const hybridfft::simd::Isa isa : hybridfft::simd::instruction_sets())
    expected += std::string(hybridfft::simd::name(isa)) + " ";
  EXPECT_EQ(names, expected);
}

TEST(Environment, UnknownNamesAreFound) {
  setenv("HFFT_EXCHNGE", "shared", 1);
  setenv("HFFT_ZZZ", "", 1);
  setenv("HFFT_THREADS", "fewer", 1);
  for (const char *of_tests : {"HFFT_TEST_GPU", "HFFT_TEST_DATA"})
    setenv(of_tests, "", 1);
  EXPECT_EQ(hybridfft::unknown_environment_variables(),
            (std::vector<std::string>{"HFFT_EXCHNGE", "HFFT_ZZZ"}));
  const std::string text = hybridfft::describe_unknown_environment_variables();
  EXPECT_EQ(text.find("the environment variable HFFT_EXCHNGE is unknown; known are HFFT_SIMD, "),
            0U)
      << text;
  EXPECT_NE(text.find("\nthe environment variable HFFT_ZZZ is unknown"), std::string::npos) << text;
  unsetenv("HFFT_EXCHNGE");
  unsetenv("HFFT_ZZZ");
  EXPECT_EQ(hybridfft::describe_unknown_environment_variables(), "");
  for (const char *of_tests : {"HFFT_TEST_GPU", "HFFT_TEST_DATA"})
    unsetenv(of_tests);
}

TEST(Environment, OtherWordsAreErrors) {
  setenv("HFFT_THREADS", "8", 1);
  try {
    hybridfft::word_of_environment("HFFT_THREADS", {"all", "fewer"}, "; see there");
    ADD_FAILURE() << "taken";
  } catch (const hybridfft::Failure &e) {
    EXPECT_EQ(e.code(), HFFT_ERROR_ENVIRONMENT);
    EXPECT_STREQ(e.what(), "the environment variable HFFT_THREADS is '8', expected one of all, "
                           "fewer; see there");
  }
  setenv("HFFT_THREADS", "all", 1);
  EXPECT_EQ(hybridfft::word_of_environment("HFFT_THREADS", {"all", "fewer"}), "all");
  unsetenv("HFFT_THREADS");
  EXPECT_EQ(hybridfft::word_of_environment("HFFT_THREADS", {"all", "fewer"}), "");
}

} // namespace
