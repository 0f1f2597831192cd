/// The letters of transform problems (see tools/verifier/problem.h) as parameters of tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "support/mpi_test.h"

namespace hybridfft::test {

/// Returns all combinations of placement, kind and transposition in double precision.
inline std::vector<std::string> all_letters() {
  std::vector<std::string> letters;
  for (const char *placement : {"o", "i"})
    for (const char *kind : {"f", "b", "fr", "br"})
      for (const char *transposed : {"", "[", "]", "[]"})
        letters.push_back(std::string(placement) + kind + transposed);
  return letters;
}

/// Returns the index of `letters` in all_letters(). With it tests choose their samples.
inline std::size_t place_of(const std::string &letters) {
  const std::vector<std::string> all = all_letters();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), letters) - all.begin());
}

inline std::string name_of_letters(const ::testing::TestParamInfo<std::string> &info) {
  return test_name(info.param);
}

} // namespace hybridfft::test
