/// Samples on their way from a device to the host.
#pragma once

#include <cstddef>
#include <memory>

#include "kspace/base/exec.h"
#include "kspace/base/real.h"

namespace hybridfft::kspace {

/// Memory of the host that a device copies to without the host waiting. Nothing without a device.
template <class Real> class PinnedMemory {
public:
  PinnedMemory() = default;
  /// Borrows the memory. Throws hybridfft::Error.
  PinnedMemory(const Exec &exec, Real *values, std::size_t count) {
    if (exec.device == nullptr || count == 0) return;
    exec.device->pin(values, count * sizeof(Real));
    pinned_ = std::unique_ptr<Real, Unpin>(values, Unpin{exec.device});
  }

private:
  struct Unpin {
    device::Runtime *device;
    void operator()(Real *values) const noexcept { device->unpin(values); }
  };
  std::unique_ptr<Real, Unpin> pinned_;
};

/// Copies samples to the host, a few values at a time and in their order, while exec goes on
/// working. On the host they are computed where they belong.
template <class Real> class SampleCopies {
public:
  SampleCopies() = default;
  /// \param count of the values of a copy. Throws hybridfft::Error.
  SampleCopies(const Exec &exec, std::size_t count) {
    if (exec.device == nullptr || count == 0) return;
    device_ = exec.device;
    computed_ = device_->make_event();
    copied_ = device_->make_event();
    marked_ = device_->make_event();
    staging_ = device::Array<Real>(*device_, count);
  }

  /// The memory in which exec is to compute the values for `to`.
  Real *begin(Real *to) const {
    if (device_ == nullptr) return to;
    device_->compute().wait(*copied_); // the ones before
    return staging_.data();
  }
  /// Exec has been given that work.
  void end(Real *to) const {
    if (device_ == nullptr) return;
    device_->compute().record(*computed_);
    device_->copies().wait(*computed_);
    device_->copies().copy(to, staging_.data(), staging_.bytes());
    device_->copies().record(*copied_);
  }
  /// Marks the copies begun so far; wait_for_marked() waits for these and for no later ones.
  void mark() const {
    if (device_ != nullptr) device_->copies().record(*marked_);
  }
  void wait_for_marked() const {
    if (device_ != nullptr) marked_->synchronize();
  }
  /// The host waits for all copies.
  void finish() const {
    if (device_ != nullptr) copied_->synchronize();
  }

private:
  device::Runtime *device_ = nullptr; ///< nullptr: the host computes
  std::unique_ptr<device::Event> computed_, copied_, marked_;
  device::Array<Real> staging_; ///< goes first, which waits for copies
};

} // namespace hybridfft::kspace
