/// Random decisions for test cases, equal on every rank and platform.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "verifier/hash.h"

namespace hybridfft::verifier {

/// A sequence of random decisions. A decision depends only on the seed and on its number in the
/// sequence.
class RandomCases {
public:
  explicit RandomCases(std::uint64_t seed) : seed_(seed) {}
  /// A number from 0 to n - 1, uniformly distributed.
  std::ptrdiff_t below(std::ptrdiff_t n) {
    return static_cast<std::ptrdiff_t>(mix(seed_, count_++) % static_cast<std::uint64_t>(n));
  }
  /// True with the probability 1/n.
  bool one_in(std::ptrdiff_t n) { return below(n) == 0; }

  template <class T> void shuffle(std::vector<T> &list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[static_cast<std::size_t>(below(static_cast<std::ptrdiff_t>(i)))]);
  }

  /// Returns an extent from 1 to `most`: 1 or a prime in half of the cases, and often a small
  /// number.
  std::ptrdiff_t extent(std::ptrdiff_t most) {
    constexpr std::array<std::ptrdiff_t, 14> primes{2,  3,  5,  7,  11, 13, 17,
                                                    19, 23, 29, 31, 37, 61, 127};
    const std::ptrdiff_t which = below(8);
    if (which == 0 || most < 2) return 1;
    if (which < 4) {
      const auto end = std::upper_bound(primes.begin(), primes.end(), most);
      return primes[static_cast<std::size_t>(below(end - primes.begin()))];
    }
    return 1 + below(which < 6 ? std::min<std::ptrdiff_t>(most, 16) : most);
  }

private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0; // number of decisions so far
};

} // namespace hybridfft::verifier
