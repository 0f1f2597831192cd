/// Checks that a call of the C++ interface throws an Error with a given code and message.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hybridfft/error.hpp"

namespace hybridfft::test {

/// Expects f() to throw an Error with this code and all these words in its text.
template <class F>
void expect_error(hfft_error code, const std::vector<std::string> &words, const F &f) {
  try {
    f();
    ADD_FAILURE() << "nothing thrown, expected an error about " << ::testing::PrintToString(words);
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), code) << e.what();
    for (const std::string &word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
  }
}

} // namespace hybridfft::test
