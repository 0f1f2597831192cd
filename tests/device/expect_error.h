/// Errors that a call is to throw.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hybridfft/error.hpp"

namespace hybridfft::test {

/// Expects Error(code) with all these words in its text.
template <class F>
void expect_error(hfft_error code, const std::vector<std::string> &words, const F &f) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    for (const std::string &word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
}

} // namespace hybridfft::test
