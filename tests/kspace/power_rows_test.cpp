// Tests powers of rows of numbers against the standard library in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/kspace/base/rows.h"

namespace {

using namespace hybridfft::kspace;

using Real = HFFT_TEST_REAL; ///< set by CMake; the test is compiled for each precision

constexpr double scale = -0.75;

std::vector<Real> scaled_powers(const std::vector<Real> &a, const std::vector<Real> &x, double y) {
  std::vector<Real> to(x.size());
  rows::scaled_power(static_cast<std::ptrdiff_t>(x.size()), scale, a.data(), x.data(), y,
                     to.data());
  return to;
}

// The tolerance is the error bound stated in rows.h, plus the rounding of two products and of the
// result.
TEST(PowerRowsTest, RandomNumbers_MatchStandardLibrary) {
  std::vector<Real> x, a;
  for (int i = 0; i < 4001; ++i) {
    x.push_back(static_cast<Real>(std::exp2(-20 + i * 0.01 + 1e-5 * (i % 7))));
    a.push_back(static_cast<Real>(0.01 * (i % 300)));
  }
  for (const Real special : {Real(1), Real(1500), std::nextafter(Real(1), Real(0)),
                             std::nextafter(Real(1), Real(2)), Real(0.5), Real(1048576)}) {
    x.push_back(special);
    a.push_back(Real(1));
  }
  for (const double y : {-0.95, 0.0, 0.05, 0.5, 1.0, 1.1, 1.5, 1.9, 2.0, 3.0}) {
    const std::vector<Real> found = scaled_powers(a, x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto base = static_cast<long double>(x[i]);
      const long double truth =
          scale * static_cast<long double>(a[i]) * std::pow(base, static_cast<long double>(y));
      const double stated = 1e-15 + 2e-16 * std::abs(y * std::log2(static_cast<double>(x[i])));
      const double rounding = std::numeric_limits<double>::epsilon() +
                              0.5 * static_cast<double>(std::numeric_limits<Real>::epsilon());
      EXPECT_LE(std::abs(static_cast<double>(static_cast<long double>(found[i]) - truth)),
                (stated + rounding) * std::abs(static_cast<double>(truth)))
          << "x = " << x[i] << ", y = " << y;
    }
  }
}

// Numbers whose powers are too large or too small to be normal numbers.
TEST(PowerRowsTest, ExtremeNumbers_MatchStandardLibrary) {
  using Limits = std::numeric_limits<Real>;
  for (const double y : {-9.0, 0.5, 12.0})
    for (const Real x : {Limits::min(), Limits::denorm_min(), Limits::max()}) {
      const Real found = scaled_powers({1}, {x}, y)[0];
      const auto truth = static_cast<Real>(scale * std::pow(static_cast<double>(x), y));
      EXPECT_TRUE(found == truth || std::abs(found / truth - 1) < Real(1e-6))
          << found << " for x = " << x << ", y = " << y << ", expected " << truth;
    }
}

// The result must not depend on where a rank's row begins.
TEST(PowerRowsTest, AnyPosition_SameBits) {
  std::vector<Real> x, a;
  for (int i = 0; i < 83; ++i) {
    x.push_back(static_cast<Real>(1400 + 7.3 * i));
    a.push_back(static_cast<Real>(0.3 + 0.01 * i));
  }
  x[40] = std::numeric_limits<Real>::denorm_min();
  for (const double y : {-0.95, 0.1, 1.1}) {
    const std::vector<Real> all = scaled_powers(a, x, y);
    for (std::ptrdiff_t first = 0; first < 40; ++first) {
      const std::vector<Real> part =
          scaled_powers({a.begin() + first, a.end() - 3}, {x.begin() + first, x.end() - 3}, y);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + first)) << "from " << first;
    }
  }
}

// The result may overwrite the first factor.
TEST(PowerRowsTest, ResultInPlace_SameBits) {
  const std::vector<Real> x{1480, 1520, 1600, 2100, 3000};
  std::vector<Real> a{1, 2, 3, 4, 5};
  const std::vector<Real> apart = scaled_powers(a, x, 1.1);
  rows::scaled_power(5, scale, a.data(), x.data(), 1.1, a.data());
  EXPECT_EQ(a, apart);
}

} // namespace
