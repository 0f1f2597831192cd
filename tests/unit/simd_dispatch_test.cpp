#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "simd/transpose.h"
#include "support/skipped_cases.h"

namespace hybridfft::simd {
namespace {

constexpr Isa all[] = {Isa::scalar, Isa::sse2, Isa::avx, Isa::avx2, Isa::avx512};

std::vector<Isa> sets(bool on_this_machine) {
  std::vector<Isa> found;
  for (const Isa isa : all)
    if (supported(isa) == on_this_machine) found.push_back(isa);
  return found;
}

std::string reason_of_refusal(const char *requested) {
  try {
    select(requested);
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code(), HFFT_ERROR_ENVIRONMENT);
    return failure.what();
  }
  ADD_FAILURE() << requested << " was accepted";
  return "";
}

TEST(SimdDispatch, ChoosesTheNamedSet) {
  for (const Isa isa : sets(true))
    EXPECT_EQ(select(name(isa)), isa);
}

TEST(SimdDispatch, ChoosesTheBestSetByDefault) {
  for (const char *nothing : {static_cast<const char *>(nullptr), ""}) {
    const Isa best = select(nothing);
    EXPECT_EQ(best, sets(true).back());
  }
}

TEST(SimdDispatch, EverySetIsSupportedWhereALaterOneIs) {
  for (const Isa isa : sets(false))
    EXPECT_GT(isa, select(nullptr)) << name(isa);
}

TEST(SimdDispatch, RefusesUnknownNamesWithTheAllowedOnes) {
  for (const char *unknown : {"sse", "AVX2", "avx2 ", "0", "neon"}) {
    const std::string reason = reason_of_refusal(unknown);
    EXPECT_NE(reason.find("HFFT_SIMD=" + std::string(unknown)), std::string::npos) << reason;
    for (const Isa isa : sets(true))
      EXPECT_NE(reason.find(name(isa)), std::string::npos) << reason;
  }
}

TEST(SimdDispatch, RefusesSetsThatTheMachineLacks) {
  if (sets(false).empty()) GTEST_SKIP() << test::this_machine << "has every set";
  for (const Isa isa : sets(false))
    EXPECT_NE(reason_of_refusal(name(isa)).find(name(isa)), std::string::npos);
}

/// The exit code of a fresh process: the place of active() among the sets, or 99 for a Failure.
[[noreturn]] void exit_with_active(const char *value) {
  setenv("HFFT_SIMD", value, 1);
  try {
    std::exit(static_cast<int>(active()));
  } catch (const Failure &) {
    std::exit(99);
  }
}

TEST(SimdDispatchDeathTest, TheEnvironmentOverridesTheChoice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const Isa isa : sets(true)) {
    EXPECT_EXIT(exit_with_active(name(isa)), ::testing::ExitedWithCode(static_cast<int>(isa)), "");
  }
  EXPECT_EXIT(exit_with_active("sse3"), ::testing::ExitedWithCode(99), "");
}

} // namespace
} // namespace hybridfft::simd
