/// The 64-bit FNV-1a hash of Fowler, Noll and Vo.
#pragma once

#include <cstdint>
#include <string_view>

namespace hybridfft {

class Fnv1a {
public:
  /// Adds the bytes of a text, or the eight bytes of a value, lowest first.
  void add(std::string_view text) {
    for (const char c : text)
      add_byte(static_cast<unsigned char>(c));
  }
  void add(std::int64_t value) {
    for (unsigned shift = 0; shift < 64; shift += 8)
      add_byte(static_cast<std::uint64_t>(value) >> shift & 0xffU);
  }
  std::uint64_t value() const { return hash_; }

private:
  void add_byte(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 1099511628211ULL; }

  std::uint64_t hash_ = 14695981039346656037ULL;
};

} // namespace hybridfft
