/// A check of values that are spread over ranks, the same however they are spread.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "kspace/base/field.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Sum, modulo 2^64, of a mixture of every value's bits, its position and the name of what it
/// belongs to. Finds damage and mistaken places, not malice.
class Checksum {
public:
  /// Adds the values of this rank; `position` is that of values[i] among all.
  void add(const std::string &name, std::span<const Real> values,
           std::span<const std::int64_t> positions) {
    const std::uint64_t salt = hash(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      add(salt, values[i], positions[i]);
  }
  /// Adds the values of a field on the host.
  void add(const std::string &name, const Field &field, const LocalGrid &local);
  /// Values first .. of a list, reals or integers.
  template <class T>
  void add_list(const std::string &name, std::size_t first, std::span<const T> values) {
    const std::uint64_t salt = hash(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      add(salt, values[i], static_cast<std::int64_t>(first + i));
  }

  /// Over all ranks, below 2^63. Collective.
  std::int64_t total(const grid::Communicator &comm) const;

private:
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

  static std::uint64_t hash(const std::string &name);
  static std::uint64_t mix(std::uint64_t v);
  void add(std::uint64_t salt, Real value, std::int64_t position) {
    add_bits(salt, std::bit_cast<Bits>(value), position);
  }
  void add(std::uint64_t salt, std::int64_t value, std::int64_t position) {
    add_bits(salt, static_cast<std::uint64_t>(value), position);
  }
  void add_bits(std::uint64_t salt, std::uint64_t bits, std::int64_t position) {
    sum_ += mix(mix(salt + static_cast<std::uint64_t>(position)) ^ bits);
  }

  std::uint64_t sum_ = 0;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
