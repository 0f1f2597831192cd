/// Random numbers as functions of a counter, and so equal for any number of ranks and threads.
#pragma once

#include <cstdint>

namespace hybridfft::tools {

/// A bijection of 64-bit words, the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014, section 5). Every input bit changes each output bit
/// with probability about 1/2.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Returns number `counter` of the stream `seed`: uniform in [0, 1), a multiple of 2^-53.
constexpr double uniform(std::uint64_t seed, std::uint64_t counter) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U; // 2^64 / golden ratio
  // Streams of adjacent seeds start at unrelated positions and are not shifted copies of each
  // other.
  const std::uint64_t word = mix(mix(seed + golden) + (counter + 1) * golden);
  return static_cast<double>(word >> 11U) * 0x1p-53;
}

} // namespace hybridfft::tools
