/// Counts skipped tests by suite and prints the suites in which no test ran.
#include "support/skipped_cases.h"

#include <cstdio>
#include <cstring>

namespace hybridfft::test {

void SkippedCases::OnTestPartResult(const testing::TestPartResult &result) {
  if (result.skipped() &&
      std::strncmp(result.message(), this_machine, std::strlen(this_machine)) == 0)
    machine_ = true;
}

void SkippedCases::OnTestEnd(const testing::TestInfo &test) {
  Count &count = suites_[test.test_suite_name()];
  if (test.result()->Skipped()) {
    ++count.skipped;
    if (machine_) ++count.skipped_by_machine;
  } else {
    ++count.run;
  }
  machine_ = false;
}

int SkippedCases::report() const {
  Count all;
  int idle_suites = 0;
  for (const auto &[name, count] : suites_) {
    all.run += count.run;
    all.skipped += count.skipped;
    if (count.run > 0 || count.skipped == count.skipped_by_machine) continue;
    std::printf("%s: FAILED, all %d tests were skipped\n", name.c_str(), count.skipped);
    ++idle_suites;
  }
  if (all.skipped > 0) std::printf("%d tests ran, %d were skipped\n", all.run, all.skipped);
  if (suites_.empty()) std::printf("FAILED, no test was selected\n");
  std::fflush(stdout);
  if (idle_suites > 0 || suites_.empty()) return 1;
  return all.run > 0 ? 0 : all_skipped;
}

} // namespace hybridfft::test
