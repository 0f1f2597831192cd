/// One recorded quantity as a function of time at the sensor, and the copies of its samples from a
/// device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kspace/base/exec.h"
#include "kspace/record/sensor.h"

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

/// Rows of a dataset, collected over some time steps in bounded memory and written together. Rows
/// of a device go to two buffers in turn: one is written while copies fill the other, so that the
/// host waits for no step that it has just enqueued.
template <class Real> class TimeSeries {
public:
  /// Steps to collect so that no buffer of any rank exceeds a few megabytes. Collective.
  static std::ptrdiff_t rows_at_once(SensorMask<Real> &mask, std::int64_t rows,
                                     const grid::Communicator &comm);

  /// Creates the dataset of `rows` rows, of which the first `done` are written already: then it has
  /// to be there, else InputError. Borrows the mask. Collective.
  TimeSeries(OutputFile<Real> &out, std::string dataset, std::int64_t rows, std::int64_t done,
             std::ptrdiff_t rows_at_once, SensorMask<Real> &mask, const grid::Communicator &comm,
             const Exec &exec);

  /// Appends a row: where exec is to put this rank's values, in the order of SensorMask::offsets(),
  /// and then that it has been given this work. Collective.
  Real *begin_row(OutputFile<Real> &out);
  void end_row();
  /// Writes the collected rows. Collective.
  void flush(OutputFile<Real> &out);

private:
  /// Number of values of a buffer.
  std::size_t buffer_values() const {
    return static_cast<std::size_t>(rows_at_once_) * row_values_;
  }
  Real *row() {
    return collected_.data() + static_cast<std::size_t>(buffer_) * buffer_values() +
           static_cast<std::size_t>(rows_) * row_values_;
  }
  void write(OutputFile<Real> &out, int buffer, std::ptrdiff_t rows);
  void write_waiting(OutputFile<Real> &out);

  std::string dataset_;
  std::ptrdiff_t rows_at_once_;
  SensorMask<Real> *mask_;
  std::size_t row_values_;
  bool two_buffers_;            ///< true with a device, on all ranks alike
  std::vector<Real> collected_; ///< one buffer for rows_at_once_ rows, or two
  int buffer_ = 0;              ///< number of the buffer that is being filled
  std::ptrdiff_t rows_ = 0;     ///< rows in it
  std::ptrdiff_t waiting_ = 0;  ///< rows in the other one that are not written yet
  std::ptrdiff_t written_;      ///< rows in the file
  PinnedMemory<Real> pinned_;
  SampleCopies<Real> copies_;
};

} // namespace hybridfft::kspace
