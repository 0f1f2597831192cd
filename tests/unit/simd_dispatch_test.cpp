#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "simd/instruction_set.h"
#include "support/skipped_cases.h"

namespace hybridfft::simd {
namespace {

std::vector<Isa> sets(bool on_this_machine) {
  std::vector<Isa> found;
  for (const Isa isa : instruction_sets())
    if (supported(isa) == on_this_machine) found.push_back(isa);
  return found;
}

std::string reason_of_refusal(const char *requested) {
  try {
    select(instruction_sets(), requested);
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.code(), HFFT_ERROR_ENVIRONMENT);
    return failure.what();
  }
  ADD_FAILURE() << requested << " was accepted";
  return "";
}

TEST(SimdDispatch, ChoosesTheNamedSet) {
  for (const Isa isa : sets(true))
    EXPECT_EQ(select(instruction_sets(), name(isa)), isa);
}

TEST(SimdDispatch, ChoosesThePreferredSetByDefault) {
  const Isa best = select(instruction_sets(), "");
  EXPECT_TRUE(supported(best));
  for (const Isa isa : sets(true))
    EXPECT_LE(isa->preference, best->preference);
}

TEST(SimdDispatch, EverySetIsComplete) {
  EXPECT_STREQ(instruction_sets().front()->name, "scalar");
  std::set<int> preferences;
  for (const Isa isa : instruction_sets()) {
    EXPECT_NE(isa->transposes, nullptr) << name(isa);
    EXPECT_NE(isa->wire, nullptr) << name(isa);
    EXPECT_EQ(isa->fft_single == nullptr, isa->fft_double == nullptr) << name(isa);
    EXPECT_TRUE(preferences.insert(isa->preference).second) << name(isa);
    EXPECT_EQ(find(name(isa)), isa);
  }
  EXPECT_EQ(find("abacus"), nullptr);
}

bool yes() { return true; }
bool no() { return false; }

/// A processor without some features can use all sets that do not need them, in any order of the
/// sets.
TEST(SimdDispatch, SetsNeedNotContainEachOther) {
  const InstructionSet plain{"plain", 0, yes, nullptr, nullptr};
  const InstructionSet best{"best", 30, no, nullptr, nullptr};
  const InstructionSet good{"good", 20, yes, nullptr, nullptr};
  const InstructionSet other{"other", 10, yes, nullptr, nullptr};
  const std::array<Isa, 4> made_up{&plain, &best, &good, &other};
  EXPECT_EQ(select(made_up, ""), &good);
  EXPECT_EQ(select(made_up, "other"), &other);
  EXPECT_THROW(select(made_up, "best"), Failure);
  EXPECT_TRUE(can_replace(&good, &other));
  EXPECT_TRUE(can_replace(&good, &good));
  EXPECT_FALSE(can_replace(&good, &best));
  EXPECT_FALSE(can_replace(&other, &good)); // a user may have selected `other` by HFFT_SIMD
}

TEST(SimdDispatch, RefusesUnknownNamesWithTheAllowedOnes) {
  for (const char *unknown : {"sse", "AVX2", "avx2 ", "0", "altivec"}) {
    const std::string reason = reason_of_refusal(unknown);
    EXPECT_NE(reason.find("HFFT_SIMD is '" + std::string(unknown) + "'"), std::string::npos)
        << reason;
    for (const Isa isa : sets(true))
      EXPECT_NE(reason.find(name(isa)), std::string::npos) << reason;
  }
}

TEST(SimdDispatch, MissingSets_AreRefused) {
  if (sets(false).empty()) GTEST_SKIP() << test::this_machine << "has every set";
  for (const Isa isa : sets(false))
    EXPECT_NE(reason_of_refusal(name(isa)).find(name(isa)), std::string::npos);
}

/// Sets HFFT_SIMD, and ends the process; a test calls it in a new process. The exit status is the
/// preference of the active set, or 99 after a Failure.
[[noreturn]] void exit_with_active(const char *value) {
  setenv("HFFT_SIMD", value, 1);
  try {
    std::exit(active()->preference);
  } catch (const Failure &) {
    std::exit(99);
  }
}

TEST(SimdDispatchDeathTest, TheEnvironmentOverridesTheChoice) {
  for (const Isa isa : sets(true)) {
    EXPECT_EXIT(exit_with_active(name(isa)), ::testing::ExitedWithCode(isa->preference), "");
  }
  EXPECT_EXIT(exit_with_active("sse3"), ::testing::ExitedWithCode(99), "");
}

} // namespace
} // namespace hybridfft::simd
