/// A checksum of distributed values that does not depend on their distribution over ranks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace hybridfft::io {

/// Sum of hashes, modulo 2^64, over all values. Each hash combines the bits of the value, its
/// position and the name of its array. It detects damage and wrong positions, but not deliberate
/// changes.
class ContentChecksum {
public:
  /// Returns the hash of an array's name.
  static std::uint64_t hash(const std::string &name) {
    std::uint64_t h = 0;
    for (const char c : name)
      h = mix(h ^ static_cast<unsigned char>(c));
    return h;
  }
  /// Adds a real number or an integer.
  /// \param salt     hash() of the name
  /// \param position index of the value in its array over all ranks
  template <class T> void add(std::uint64_t salt, T value, std::int64_t position) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    add_bits(salt, std::bit_cast<Bits>(value), position);
  }
  /// Adds values of this rank; positions[i] is the index of values[i] over all ranks.
  template <class T>
  void add_at(const std::string &name, std::span<const T> values,
              std::span<const std::int64_t> positions) {
    const std::uint64_t salt = hash(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      add(salt, values[i], positions[i]);
  }
  /// Adds the values of a list with indices first, first + 1, ...
  template <class T>
  void add_list(const std::string &name, std::size_t first, std::span<const T> values) {
    sum_ += sum_of(hash(name), static_cast<std::int64_t>(first), values);
  }
  /// Returns the sum of hashes of values with indices first, first + 1, ... May be called
  /// concurrently; add_sum() adds the result. \param salt hash() of the name
  template <class T>
  static std::uint64_t sum_of(std::uint64_t salt, std::int64_t first, std::span<const T> values) {
    ContentChecksum part;
    for (const T &value : values)
      part.add(salt, value, first++);
    return part.sum();
  }
  void add_sum(std::uint64_t sum) { sum_ += sum; }

  /// This rank's sum. The checksum is the sum over all ranks.
  std::uint64_t sum() const { return sum_; }
  /// Converts a sum to the number below 2^63 stored in files.
  static std::int64_t in_file(std::uint64_t sum) {
    return static_cast<std::int64_t>(sum << 1U >> 1U);
  }

private:
  /// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
  static std::uint64_t mix(std::uint64_t v) {
    v += 0x9e3779b97f4a7c15U;
    v = (v ^ (v >> 30U)) * 0xbf58476d1ce4e5b9U;
    v = (v ^ (v >> 27U)) * 0x94d049bb133111ebU;
    return v ^ (v >> 31U);
  }
  void add_bits(std::uint64_t salt, std::uint64_t bits, std::int64_t position) {
    sum_ += mix(mix(salt + static_cast<std::uint64_t>(position)) ^ bits);
  }

  std::uint64_t sum_ = 0;
};

} // namespace hybridfft::io
