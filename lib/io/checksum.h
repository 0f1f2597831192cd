/// A checksum of distributed values, independent of their distribution.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace hybridfft::io {

/// Sum, modulo 2^64, over all values of a hash of the value's bits, its position and the name of
/// its array. It detects damage and wrong positions, but no deliberate change.
class ContentChecksum {
public:
  /// Hash of the name of an array.
  static std::uint64_t hash(const std::string &name);
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
  /// Adds the values of a list, of index `first` and following.
  template <class T>
  void add_list(const std::string &name, std::size_t first, std::span<const T> values) {
    sum_ += sum_of(hash(name), static_cast<std::int64_t>(first), values);
  }
  /// The contribution of values of index `first` and following, for concurrent threads. `salt` is
  /// hash() of the name; add_sum() adds the result.
  template <class T>
  static std::uint64_t sum_of(std::uint64_t salt, std::int64_t first, std::span<const T> values) {
    ContentChecksum part;
    for (const T &value : values)
      part.add(salt, value, first++);
    return part.sum();
  }
  void add_sum(std::uint64_t sum) { sum_ += sum; }

  /// The sum of this rank. The checksum is the sum over all ranks.
  std::uint64_t sum() const { return sum_; }
  /// Converts a sum to the number below 2^63 stored in files.
  static std::int64_t in_file(std::uint64_t sum);

private:
  static std::uint64_t mix(std::uint64_t v);
  void add_bits(std::uint64_t salt, std::uint64_t bits, std::int64_t position) {
    sum_ += mix(mix(salt + static_cast<std::uint64_t>(position)) ^ bits);
  }

  std::uint64_t sum_ = 0;
};

} // namespace hybridfft::io
