/// Extends GoogleTest's verdict: a program fails if a test suite skipped all of its tests, or if no
/// test ran at all.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace hybridfft::test {

/// First words of the reason for skipping a test because of the machine (a GPU, an instruction set,
/// a privilege): GTEST_SKIP() << this_machine << "no AVX-512". A suite may skip all tests for this
/// reason.
inline constexpr const char *this_machine = "this machine: ";

/// Exit status of a program with all tests skipped because of the machine. CTest reports it as
/// skipped with SKIP_RETURN_CODE, and as a failure otherwise.
inline constexpr int all_skipped = 77;

/// Counts run and skipped tests, over all repetitions in a program.
class SkippedCases : public testing::EmptyTestEventListener {
public:
  struct Count {
    int run = 0;
    int skipped = 0;
    int skipped_by_machine = 0;
  };

  void OnTestPartResult(const testing::TestPartResult &result) override;
  void OnTestEnd(const testing::TestInfo &test) override;

  /// An entry for each suite with a test to run, in alphabetical order.
  std::map<std::string, Count> &suites() { return suites_; }

  /// Prints the number of skipped tests and the suites that only skipped.
  /// \return the exit status: 1 if no test was selected, or if all tests of a suite were skipped
  /// and some for another reason than the machine; else all_skipped if no test ran; else 0
  int report() const;

private:
  std::map<std::string, Count> suites_;
  bool machine_ = false; // the current test was skipped because of the machine
};

} // namespace hybridfft::test
