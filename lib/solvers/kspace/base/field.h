/// Memory of one scalar field on a rank, checksums of fields, and the acoustic state, which
/// consists of several fields.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <span>

#include "base/memory.h"
#include "device/runtime.h"
#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/communicator.hpp"
#include "io/checksum.h"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/local_grid.h"

namespace hybridfft::kspace {

/// Zeroed memory in the layout of a LocalGrid. A field holds real values in space. A field with
/// room for in-place transforms can also hold their half spectrum. Host memory is first touched by
/// the threads that use it later. Device memory is accessed only by copies and kernels.
template <class Real> class Field {
public:
  Field() = default;
  Field(std::size_t values, int threads) : memory_(values * sizeof(Real), threads), size_(values) {}
  Field(std::size_t values, const Exec &exec) : size_(values) {
    if (exec.device == nullptr) {
      memory_ = Memory(values * sizeof(Real), exec.host.threads);
      return;
    }
    device_ = exec.device;
    on_device_ = device::Array<Real>(*device_, values);
    device_->compute().clear(on_device_.data(), on_device_.bytes());
  }

  /// The values, in the memory of the host or of the device.
  Real *data() const {
    return device_ != nullptr ? on_device_.data() : reinterpret_cast<Real *>(memory_.data());
  }
  std::size_t size() const { return size_; }
  /// real() is the values in host memory as size() reals; spectrum() is the same memory as
  /// size() / 2 complex numbers.
  std::span<Real> real() const { return {data(), size_}; }
  std::span<std::complex<Real>> spectrum() const {
    return {reinterpret_cast<std::complex<Real> *>(data()), size_ / 2};
  }

  /// Returns this field if it is in host memory. Otherwise waits for the device, copies the values
  /// to `copy` and returns `copy`. Throws std::bad_alloc.
  const Field &on_host(Field &copy, int threads) const {
    if (device_ == nullptr) return *this;
    if (copy.size_ != size_) copy = Field(size_, threads);
    device_->compute().copy(copy.data(), data(), size_ * sizeof(Real));
    device_->compute().synchronize();
    return copy;
  }
  /// Copies the values of `from`, a field of the same size in host memory.
  void assign(const Field &from) const {
    if (device_ == nullptr) {
      std::copy_n(from.data(), size_, data());
      return;
    }
    device_->compute().copy(data(), from.data(), size_ * sizeof(Real));
    device_->compute().synchronize();
  }

  /// Access by indices (i, j, k) of this rank; (0, 0, 0) is its first point.
  grid::View<Real> view(const LocalGrid &local) const {
    return {data(), local.plane(), local.pitch(), 0};
  }
  Real *row(const LocalGrid &local, std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data() + local.offset(i, j);
  }
  grid::Rows<Real> rows(const LocalGrid &local) const {
    return {data(), local.plane(), local.pitch()};
  }

private:
  Memory memory_;
  device::Runtime *device_ = nullptr; ///< device that stores the values; nullptr: the host
  device::Array<Real> on_device_;
  std::size_t size_ = 0;
};

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

/// The acoustic state. The density is split by direction for the PML. Velocities are staggered by
/// half a cell along their own axis, and lag behind pressure and density by half a time step. In
/// one and two dimensions, the unused components of velocity and density are empty.
template <class Real> struct State {
  State(const LocalGrid &local, const Exec &exec) : pressure(local.operand_size(), exec) {
    for (std::size_t a = 0; a < static_cast<std::size_t>(local.dimensions()); ++a) {
      velocity[a] = Field<Real>(local.operand_size(), exec);
      density[a] = Field<Real>(local.size(), exec);
    }
  }

  Field<Real> pressure;                ///< Pa
  std::array<Field<Real>, 3> velocity; ///< m/s
  std::array<Field<Real>, 3> density;  ///< components whose sum is the acoustic density, in kg/m^3
};

} // namespace hybridfft::kspace
