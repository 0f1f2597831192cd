/// Sums and products of sizes, checked for overflow.
#pragma once

#include <cstddef>

namespace hybridfft {

/// A nonnegative number, and a flag for overflow beyond 63 bits during its computation. After an
/// overflow the value is meaningless.
class CheckedSize {
public:
  constexpr CheckedSize(std::ptrdiff_t value) : value_(value) {}

  constexpr CheckedSize &operator+=(const CheckedSize &other) {
    fits_ = fits_ && other.fits_ && !__builtin_add_overflow(value_, other.value_, &value_);
    return *this;
  }
  constexpr CheckedSize &operator*=(const CheckedSize &other) {
    fits_ = fits_ && other.fits_ && !__builtin_mul_overflow(value_, other.value_, &value_);
    return *this;
  }
  friend constexpr CheckedSize operator+(CheckedSize a, const CheckedSize &b) { return a += b; }
  friend constexpr CheckedSize operator*(CheckedSize a, const CheckedSize &b) { return a *= b; }

  constexpr bool fits() const { return fits_; }
  constexpr std::ptrdiff_t value() const { return value_; }

private:
  std::ptrdiff_t value_;
  bool fits_ = true;
};

} // namespace hybridfft
