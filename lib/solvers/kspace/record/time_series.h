/// Time series of one quantity at the sensor: buffers of rows, and asynchronous copies from a
/// device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

/// Page-locks host memory for asynchronous copies from a device. Does nothing on processors.
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

/// Copies samples from a device to the host, in order and asynchronously, through a small device
/// buffer. On processors, samples are computed at their destination and nothing is copied.
template <class Real> class SampleCopies {
public:
  SampleCopies() = default;
  /// \param count number of values in a copy. Throws hybridfft::Error.
  SampleCopies(const Exec &exec, std::size_t count) {
    if (exec.device == nullptr || count == 0) return;
    device_ = exec.device;
    computed_ = device_->make_event();
    copied_ = device_->make_event();
    marked_ = device_->make_event();
    staging_ = device::Array<Real>(*device_, count);
  }

  /// Returns the memory in which to compute the values for the host array `to`.
  Real *begin(Real *to) const {
    if (device_ == nullptr) return to;
    device_->compute().wait(*copied_); // the buffer is free after the previous copy
    return staging_.data();
  }
  /// Call it after enqueuing the computation of these values. Starts their copy.
  void end(Real *to) const {
    if (device_ == nullptr) return;
    device_->compute().record(*computed_);
    device_->copies().wait(*computed_);
    device_->copies().copy(to, staging_.data(), staging_.bytes());
    device_->copies().record(*copied_);
  }
  /// Marks all copies started so far. wait_for_marked() waits for these only.
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

/// Buffers rows of a dataset over some time steps and writes them together, in bounded memory. With
/// a device there are two buffers: one is written while copies fill the other. The host therefore
/// never waits for a step that it has just enqueued.
template <class Real> class TimeSeries {
public:
  /// Returns how many steps to buffer, so that no rank's buffer exceeds a few megabytes.
  /// Collective.
  static std::ptrdiff_t rows_at_once(SensorMask<Real> &mask, std::int64_t rows,
                                     const grid::Communicator &comm);

  /// Creates a dataset of `rows` rows, or continues it after `done` written rows. Borrows the mask.
  /// Collective. Throws InputError if the dataset to be continued is missing.
  TimeSeries(OutputFile<Real> &out, std::string dataset, std::int64_t rows, std::int64_t done,
             std::ptrdiff_t rows_at_once, SensorMask<Real> &mask, const grid::Communicator &comm,
             const Exec &exec);

  /// Append a row. begin_row() returns the memory for this rank's values in the order of
  /// SensorMask::offsets(). Call end_row() after enqueuing their computation. Collective.
  Real *begin_row(OutputFile<Real> &out);
  void end_row();
  /// Writes the buffered rows. Collective.
  void flush(OutputFile<Real> &out);
  /// Writes the buffered rows and removes the dataset's remaining rows. Collective.
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
