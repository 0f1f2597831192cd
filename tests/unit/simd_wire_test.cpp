// Compares conversions for messages with their definition in double arithmetic, for every
// instruction set.
#include "simd/wire.h"
#include "support/skipped_cases.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace hybridfft::simd {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

/// Returns the number with `digits` binary digits nearest to x; its last digit has the exponent
/// `least` or more. Ties go to even (nearbyint's default). Returns infinity from `limit` on.
double nearest(double x, int digits, int least, double limit) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int last = std::max(std::ilogb(x) - (digits - 1), least);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -last)), last);
  return std::abs(rounded) < limit ? rounded : std::copysign(infinite, x);
}

double nearest_half(double x) { return nearest(x, 11, -24, 65536); }
double nearest_bfloat16(double x) { return nearest(x, 8, -133, std::ldexp(1.0, 128)); }
double nearest_single(double x) { return nearest(x, 24, -149, std::ldexp(1.0, 128)); }

/// Returns the value of a number in a format with `fraction` bits of fraction and a bias, by its
/// definition.
double value_of(unsigned bits, int fraction, int bias) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const unsigned most = (0x7fffU >> static_cast<unsigned>(fraction));
  const unsigned exponent = (bits & 0x7fffU) >> static_cast<unsigned>(fraction);
  const double part = bits & ((1U << static_cast<unsigned>(fraction)) - 1U);
  if (exponent == most) return part == 0 ? sign * infinite : NAN;
  if (exponent == 0) return sign * std::ldexp(part, 1 - bias - fraction);
  return sign *
         std::ldexp(part + std::ldexp(1.0, fraction), static_cast<int>(exponent) - bias - fraction);
}
double half_value(unsigned bits) { return value_of(bits, 10, 15); }
double bfloat16_value(unsigned bits) { return value_of(bits, 7, 127); }

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Returns every number of the narrow format, its midpoint to the next number, the neighbours of
/// the midpoint, and many other numbers.
std::vector<float> numbers(double (*value)(unsigned)) {
  std::vector<float> list;
  for (unsigned bits = 0; bits < 0x10000U; ++bits) {
    const double x = value(bits);
    list.push_back(static_cast<float>(x));
    const double next = value((bits + 1) & 0xffffU);
    if (!std::isfinite(x) || !std::isfinite(next)) continue;
    const auto middle = static_cast<float>((x + next) / 2);
    for (const float y :
         {middle, std::nextafter(middle, infinite), std::nextafter(middle, -infinite)})
      list.push_back(y);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 100000; ++i)
    list.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  for (const float x : {65519.9F, 65520.0F, 65536.0F, 1e30F, -1e30F, 3.4e38F})
    list.push_back(x);
  return list;
}

class WireConversions : public ::testing::TestWithParam<Isa> {
protected:
  void SetUp() override {
    if (!supported(GetParam())) GTEST_SKIP() << test::this_machine << "no such instructions";
  }
  const WireKernels &kernels() const { return wire_kernels(GetParam()); }
};

TEST_P(WireConversions, HalfIsRoundedToNearestEven) {
  const std::vector<float> from = numbers(half_value);
  std::vector<std::uint16_t> narrow(from.size());
  std::vector<float> back(from.size());
  for (const float scale : {1.0F, 0x1p-20F, 0x1p30F}) {
    kernels().single_to_half(from.data(), narrow.data(), from.size(), scale);
    kernels().half_to_single(narrow.data(), back.data(), from.size(), 1);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const double expected = nearest_half(from[i] * scale);
      ASSERT_TRUE(same(half_value(narrow[i]), expected)) << from[i] << " " << scale;
      ASSERT_TRUE(same(back[i], expected)) << from[i] << " " << scale;
    }
  }
}

TEST_P(WireConversions, Bfloat16IsRoundedToNearestEven) {
  const std::vector<float> from = numbers(bfloat16_value);
  std::vector<std::uint16_t> narrow(from.size());
  std::vector<float> back(from.size());
  kernels().single_to_bfloat16(from.data(), narrow.data(), from.size());
  kernels().bfloat16_to_single(narrow.data(), back.data(), from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double expected = nearest_bfloat16(from[i]);
    ASSERT_TRUE(same(bfloat16_value(narrow[i]), expected)) << from[i];
    ASSERT_TRUE(same(back[i], expected)) << from[i];
  }
}

TEST_P(WireConversions, SingleIsRoundedToNearest) {
  std::mt19937_64 random(8);
  std::vector<double> from{0,
                           -0.0,
                           1e300,
                           -1e300,
                           1e-300,
                           0x1.000001p0,
                           0x1.000003p0,
                           1e-40,
                           std::numeric_limits<double>::quiet_NaN(),
                           infinite};
  for (int i = 0; i < 10000; ++i)
    from.push_back(std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                              static_cast<int>(random() % 300) - 200));
  std::vector<float> narrow(from.size());
  std::vector<double> back(from.size());
  kernels().double_to_single(from.data(), narrow.data(), from.size());
  kernels().single_to_double(narrow.data(), back.data(), from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    ASSERT_TRUE(same(back[i], nearest_single(from[i]))) << from[i];
}

TEST_P(WireConversions, AnyNumberOfThemAndNoMore) {
  for (std::size_t n = 0; n < 70; ++n) {
    std::vector<float> from(n, 3.0F);
    std::vector<std::uint16_t> narrow(n + 1, 0x1234);
    std::vector<float> back(n + 1, 5.0F);
    kernels().single_to_half(from.data(), narrow.data(), n, 2);
    kernels().half_to_single(narrow.data(), back.data(), n, 0.5F);
    EXPECT_EQ(narrow[n], 0x1234);
    EXPECT_EQ(back[n], 5.0F);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(back[i], 3.0F);
  }
}

TEST_P(WireConversions, LargestIsOfFiniteNumbers) {
  std::vector<float> from{1, -7.5F, infinite, -infinite, NAN, 2, -0.0F};
  EXPECT_EQ(kernels().largest(from.data(), from.size()), 7.5F);
  EXPECT_EQ(kernels().largest(from.data(), 0), 0.0F);
  from.assign(100, 1e-42F);
  from[99] = -1e-41F;
  EXPECT_EQ(kernels().largest(from.data(), from.size()), 1e-41F);
}

INSTANTIATE_TEST_SUITE_P(All, WireConversions, ::testing::ValuesIn(instruction_sets()),
                         [](const auto &info) { return std::string(name(info.param)); });

} // namespace
} // namespace hybridfft::simd
