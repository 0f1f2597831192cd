/// A check of values that are spread over ranks, the same however they are spread.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "kspace/field.h"

namespace hybridfft::kspace {

/// Sum, modulo 2^64, of a mixture of every value's bits, its position and the name of what it
/// belongs to. Finds damage and mistaken places, not malice.
class Checksum {
public:
  /// The values of this rank; `position` is that of values[i] among all.
  void add(const std::string &name, std::span<const float> values,
           std::span<const std::int64_t> positions) {
    const std::uint64_t salt = hash(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      add(salt, values[i], positions[i]);
  }
  void add(const std::string &name, const Field &field, const Slab &slab);

  /// Over all ranks, below 2^63. Collective.
  std::int64_t total(const grid::Communicator &comm) const;

private:
  static std::uint64_t hash(const std::string &name);
  static std::uint64_t mix(std::uint64_t v);
  void add(std::uint64_t salt, float value, std::int64_t position) {
    const auto where = static_cast<std::uint64_t>(position);
    sum_ += mix(mix(salt + where) ^ std::bit_cast<std::uint32_t>(value));
  }

  std::uint64_t sum_ = 0;
};

} // namespace hybridfft::kspace
