/// main() of GoogleTest programs on one process.

#include <gtest/gtest.h>

#include "support/skipped_cases.h"

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  auto *skipped = new hybridfft::test::SkippedCases; // GoogleTest deletes its listeners
  testing::UnitTest::GetInstance()->listeners().Append(skipped);
  const int failed = RUN_ALL_TESTS();
  if (failed != 0 || GTEST_FLAG_GET(list_tests)) return failed;
  return skipped->report();
}
