/// Sums and products of sizes that may come from anywhere.
#pragma once

#include <cstddef>

namespace hybridfft {

/// A number that is not negative, and whether 63 bits were enough for it and all that it was made
/// of. The value of one that does not fit means nothing.
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
