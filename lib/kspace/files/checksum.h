/// The check of a simulation's values.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/checksum.h"
#include "kspace/base/field.h"

namespace hybridfft::kspace {

/// A check that takes whole fields, too.
class Checksum : public io::Checksum {
public:
  using io::Checksum::add;
  /// Adds the values of a field on the host.
  template <class Real>
  void add(const std::string &name, const Field<Real> &field, const LocalGrid &local) {
    const std::uint64_t salt = hash(name);
    const grid::View<Real> v = field.view(local);
    const grid::Box box = local.box();
    for (std::ptrdiff_t i = 0; i < box.extent(0); ++i)
      for (std::ptrdiff_t j = 0; j < box.extent(1); ++j)
        for (std::ptrdiff_t k = 0; k < box.extent(2); ++k)
          add(salt, v(i, j, k), local.point(i, j, k));
  }

  /// Over all ranks, below 2^63. Collective.
  std::int64_t total(const grid::Communicator &comm) const { return in_file(comm.sum(sum())); }
};

} // namespace hybridfft::kspace
