/// Random numbers as hashes of a counter, and so equal for any number of ranks.
#pragma once

#include <cstdint>

namespace hybridfft::verifier {

/// Hash of 64 bits: each input bit flips about half of the output bits. It is the finaliser of
/// splitmix64, with xor-shifts and odd multipliers (Steele, Lea and Flood, OOPSLA 2014, section 5).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b); }

} // namespace hybridfft::verifier
