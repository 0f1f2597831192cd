/// Random decisions that are the same on every rank and platform.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "support/verify/hash.h"

namespace hybridfft::verifier {

class Dice {
public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  /// 0 .. n-1
  std::ptrdiff_t roll(std::ptrdiff_t n) {
    return static_cast<std::ptrdiff_t>(mix(seed_, count_++) % static_cast<std::uint64_t>(n));
  }
  bool one_in(std::ptrdiff_t n) { return roll(n) == 0; }

  /// An extent of at most `most`: a one, a prime, or any number; small ones more often.
  std::ptrdiff_t extent(std::ptrdiff_t most) {
    constexpr std::array<std::ptrdiff_t, 14> primes{2,  3,  5,  7,  11, 13, 17,
                                                    19, 23, 29, 31, 37, 61, 127};
    const std::ptrdiff_t which = roll(8);
    if (which == 0 || most < 2) return 1;
    if (which < 4) {
      const auto end = std::upper_bound(primes.begin(), primes.end(), most);
      return primes[static_cast<std::size_t>(roll(end - primes.begin()))];
    }
    return 1 + roll(which < 6 ? std::min<std::ptrdiff_t>(most, 16) : most);
  }

private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

} // namespace hybridfft::verifier
