/// What GoogleTest programs of this project add to GoogleTest's verdict: a program fails in which a
/// test suite skipped all of its tests, or in which no test ran at all.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace hybridfft::test {

/// Begins the reason of a skipped test that only another machine can run (a GPU, an instruction
/// set, a privilege): GTEST_SKIP() << this_machine << "no AVX-512". A suite may skip all tests so.
inline constexpr const char *this_machine = "this machine: ";

/// Exit status of a program all of whose tests were skipped because of the machine. CTest takes it
/// for skipped where SKIP_RETURN_CODE says so, and for a failure elsewhere.
inline constexpr int all_skipped = 77;

/// Counts the tests that ran and those that were skipped, over all repetitions in a program.
class SkippedCases : public testing::EmptyTestEventListener {
public:
  struct Count {
    int run = 0;
    int skipped = 0;
    int skipped_by_machine = 0;
  };

  void OnTestPartResult(const testing::TestPartResult &result) override;
  void OnTestEnd(const testing::TestInfo &test) override;

  /// An entry for each suite that had a test to run, in alphabetical order.
  std::map<std::string, Count> &suites() { return suites_; }

  /// Prints the number of skipped tests and the suites that only skipped. Returns the exit status:
  /// 0, 1 where a suite without an excuse or the whole program did nothing, or all_skipped.
  int report() const;

private:
  std::map<std::string, Count> suites_;
  bool machine_ = false; // the current test was skipped because of the machine
};

} // namespace hybridfft::test
