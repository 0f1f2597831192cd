/// The check of a simulation's values.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/checksum.h"
#include "kspace/base/field.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// A check that takes whole fields, too.
class Checksum : public io::Checksum {
public:
  using io::Checksum::add;
  /// Adds the values of this rank; `position` is that of values[i] among all.
  void add(const std::string &name, std::span<const Real> values,
           std::span<const std::int64_t> positions) {
    add_at(name, values, positions);
  }
  /// Adds the values of a field on the host.
  void add(const std::string &name, const Field &field, const LocalGrid &local);

  /// Over all ranks, below 2^63. Collective.
  std::int64_t total(const grid::Communicator &comm) const { return in_file(comm.sum(sum())); }
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
