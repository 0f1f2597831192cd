#include "io/checksum.h"

#include <limits>

namespace hybridfft::io {

// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
std::uint64_t ContentChecksum::mix(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15U;
  v = (v ^ (v >> 30U)) * 0xbf58476d1ce4e5b9U;
  v = (v ^ (v >> 27U)) * 0x94d049bb133111ebU;
  return v ^ (v >> 31U);
}

std::uint64_t ContentChecksum::hash(const std::string &name) {
  std::uint64_t h = 0;
  for (const char c : name)
    h = mix(h ^ static_cast<unsigned char>(c));
  return h;
}

std::int64_t ContentChecksum::in_file(std::uint64_t sum) {
  return static_cast<std::int64_t>(
      sum & static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

} // namespace hybridfft::io
