/// Time series of one quantity at the sensor: buffered rows of a dataset, and asynchronous copies
/// of samples from a device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Page-locked host memory for asynchronous device copies. Does nothing for processors.
template <class Real> class PinnedMemory {
public:
  PinnedMemory() = default;
  /// Locks borrowed memory. Throws hybridfft::Error.
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

/// Copies samples to the host in order and asynchronously, with a small device buffer. For
/// processors samples are computed at their destination and nothing is copied.
template <class Real> class SampleCopies {
public:
  SampleCopies() = default;
  /// \param count number of values of a copy. Throws hybridfft::Error.
  SampleCopies(const Exec &exec, std::size_t count) {
    if (exec.device == nullptr || count == 0) return;
    device_ = exec.device;
    computed_ = device_->make_event();
    copied_ = device_->make_event();
    marked_ = device_->make_event();
    staging_ = device::Array<Real>(*device_, count);
  }

  /// Returns the memory for computing the values for `to`.
  Real *begin(Real *to) const {
    if (device_ == nullptr) return to;
    device_->compute().wait(*copied_); // wait for the previous copies
    return staging_.data();
  }
  /// Call it after enqueuing the computation of the values.
  void end(Real *to) const {
    if (device_ == nullptr) return;
    device_->compute().record(*computed_);
    device_->copies().wait(*computed_);
    device_->copies().copy(to, staging_.data(), staging_.bytes());
    device_->copies().record(*copied_);
  }
  /// Marks the copies begun so far; wait_for_marked() waits for these only.
  void mark() const {
    if (device_ != nullptr) device_->copies().record(*marked_);
  }
  void wait_for_marked() const {
    if (device_ != nullptr) marked_->synchronize();
  }
  /// Waits on the host for all copies.
  void finish() const {
    if (device_ != nullptr) copied_->synchronize();
  }

private:
  device::Runtime *device_ = nullptr; ///< nullptr: processors compute the samples
  std::unique_ptr<device::Event> computed_, copied_, marked_;
  device::Array<Real> staging_; ///< declared last: its destructor waits for copies
};

/// Rows of a dataset, buffered over some time steps in bounded memory and written together. Device
/// samples use two buffers: one is written while copies fill the other. The host therefore never
/// waits for a step that it has just enqueued.
template <class Real> class TimeSeries {
public:
  /// Number of steps per buffer so that no buffer of any rank exceeds a few megabytes. Collective.
  static std::ptrdiff_t rows_at_once(SensorMask<Real> &mask, std::int64_t rows,
                                     const grid::Communicator &comm);

  /// Creates the dataset of `rows` rows, or continues it if `done` rows are written. Borrows the
  /// mask. Collective. Throws InputError if the dataset to continue is missing.
  TimeSeries(OutputFile<Real> &out, std::string dataset, std::int64_t rows, std::int64_t done,
             std::ptrdiff_t rows_at_once, SensorMask<Real> &mask, const grid::Communicator &comm,
             const Exec &exec);

  /// Appends a row. begin_row() returns the memory for this rank's values in the order of
  /// SensorMask::offsets(); call end_row() after enqueuing their computation. Collective.
  Real *begin_row(OutputFile<Real> &out);
  void end_row();
  /// Writes the buffered rows. Collective.
  void flush(OutputFile<Real> &out);
  /// Writes the buffered rows and removes the rows after them. Collective.
  void end_early(OutputFile<Real> &out);

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
  bool two_buffers_;            ///< true with a device; equal on all ranks
  std::vector<Real> collected_; ///< one buffer of rows_at_once_ rows, or two
  int buffer_ = 0;              ///< buffer currently being filled
  std::ptrdiff_t rows_ = 0;     ///< rows in the current buffer
  std::ptrdiff_t waiting_ = 0;  ///< unwritten rows in the other buffer
  std::ptrdiff_t written_;      ///< rows in the file
  PinnedMemory<Real> pinned_;
  SampleCopies<Real> copies_;
};

} // namespace hybridfft::kspace
