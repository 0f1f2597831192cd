/// Checksums of a simulation's values, and copies of dataset values to fields.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "hybridfft/grid/communicator.hpp"
#include "io/checksum.h"
#include "solvers/kspace/base/field.h"

namespace hybridfft::kspace {

/// A checksum that also accepts whole fields.
class Checksum : public io::ContentChecksum {
public:
  using io::ContentChecksum::add;
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

  /// Sum over all ranks, below 2^63. Collective.
  std::int64_t total(const grid::Communicator &comm) const { return in_file(comm.sum(sum())); }
};

/// The range low <= v <= high of finite numbers.
template <class Real> struct Range {
  Real low, high;
  bool any = false; ///< accept all values, including NaN
  bool has(Real v) const { return any || (v >= low && v <= high); }
};

/// Checks the values of a dataset [Nz][Ny][Nx] and copies them to this rank's points of a host
/// field. Skips points of other ranks.
template <class Real> class FieldValues {
public:
  /// The references must outlive this object.
  /// \param sum true to compute the checksum
  FieldValues(const std::string &dataset, const LocalGrid &local, const Range<Real> &allowed,
              bool sum, const Field<Real> &into);

  /// Checks and copies the values first, first + 1, ... of the dataset. May be called concurrently.
  void take(std::size_t first, std::span<const Real> values);

  /// Position in the dataset and value of the first value that is out of range on this rank.
  grid::Communicator::ArgMin bad() const;
  /// This rank's contribution to the checksum.
  std::uint64_t checksum() const { return checksum_; }

private:
  void take_row(std::ptrdiff_t row, std::ptrdiff_t x, std::span<const Real> values);

  const LocalGrid &local_;
  Range<Real> allowed_;
  bool sum_;
  const Field<Real> &field_;
  std::uint64_t salt_;
  std::atomic<std::int64_t> bad_{grid::Communicator::ArgMin::nowhere};
  std::atomic<std::uint64_t> checksum_{0};
};

} // namespace hybridfft::kspace
