/// Sensor masks: the points at which fields are recorded, given as a list or as cuboids. Time
/// series of values at these points.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/list_exchange.hpp"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/files/output_file.h"
#include "solvers/kspace/record/recording.h"

namespace hybridfft::kspace {

/// First and last point along x, y and z, zero-based and inclusive.
struct Cuboid {
  std::array<std::ptrdiff_t, 3> first{}, last{};
};

/// The points of a list or a cuboid, distributed over the ranks, and the layout of their values in
/// the output.
///
/// A list has points in any order, possibly repeated. The output keeps this order: datasets are
/// [1][1][points] and [1][rows][points]. Each part of the list has a writer, to which other ranks
/// send their values. A cuboid's datasets are NAME/1, NAME/2, ... of shape [z][y][x] or
/// [rows][z][y][x]. Each rank's part of a cuboid is a box.
template <class Real> class SensorMask {
public:
  /// Reads a list of points from the dataset sensor_mask_index. Collective. Throws InputError.
  SensorMask(const InputFile &file, const LocalGrid &local, const grid::Communicator &comm);
  /// \param number of the cuboid in its file; the first one is 1
  SensorMask(const Cuboid &cuboid, std::size_t number, const LocalGrid &local);

  /// Name of a quantity's dataset: "p", or "p/2" for the second of several masks.
  std::string dataset(const std::string &quantity) const { return quantity + suffix_; }
  /// Offsets in a field of this rank's points.
  std::span<const std::ptrdiff_t> offsets() const { return offsets_; }
  /// Positions of this rank's points among all points of the mask.
  std::span<const std::int64_t> places() const { return places_; }
  /// For each row of `quantities`, an array with one combined value per point; nullptr if not
  /// recorded.
  using Combined = std::array<Real *, quantity_count>;
  /// Copies the offsets to the device of exec, if it has one. Call it before sampling on a device.
  /// Throws hybridfft::Error.
  void prepare(const Exec &exec) {
    if (exec.device != nullptr && device_offsets_.size() == 0)
      device_offsets_ = ExecArray<std::ptrdiff_t>(offsets_, exec);
  }
  /// Samples a field: values[i] = field at offsets()[i], and combines each value with earlier ones.
  /// With values = nullptr, only combines. All arrays are in the memory of exec. A device runs the
  /// work asynchronously in its compute stream.
  void sample(const Exec &exec, const Field<Real> &field, Real *values,
              const Combined &combined) const;
  void sample(const Exec &exec, const Field<Real> &field, Real *values) const {
    sample(exec, field, values, Combined());
  }
  /// Number of points of the whole mask.
  std::int64_t points() const {
    return list_ ? list_->total : static_cast<std::int64_t>(shape_[0] * shape_[1] * shape_[2]);
  }

  /// create() creates a dataset with one value per point; create_series() creates a dataset with
  /// `rows` values per point.
  void create(OutputFile &out, const std::string &dataset) const {
    if (list_) return create_series(out, dataset, 1);
    out.create_box(dataset, shape_);
  }
  void create_series(OutputFile &out, const std::string &dataset, std::size_t rows) const {
    if (list_) return out.create_series(dataset, rows, static_cast<std::size_t>(list_->total));
    out.create_box(dataset, {rows, shape_[0], shape_[1], shape_[2]});
  }
  /// Write this rank's values at its points: offsets().size() values, or as many for each of `rows`
  /// rows of a series. Collective.
  void write(OutputFile &out, const std::string &dataset, std::span<const Real> values) {
    if (list_) return write_series(out, dataset, 0, 1, values);
    out.write_box(dataset, own_, values.data());
  }
  void write_series(OutputFile &out, const std::string &dataset, std::size_t first_row,
                    std::size_t rows, std::span<const Real> values);
  /// Creates the dataset of a quantity and writes this rank's values. Collective.
  void record(OutputFile &out, const std::string &quantity, std::span<const Real> values) {
    create(out, dataset(quantity));
    write(out, dataset(quantity), values);
  }
  /// save() records a quantity in a checkpoint; restore() reads it. Both add the values to the
  /// checksum. Collective. restore() throws InputError.
  void save(OutputFile &checkpoint, const std::string &quantity, std::span<const Real> values,
            Checksum &checksum) {
    record(checkpoint, quantity, values);
    checksum.add_at<Real>(dataset(quantity), values, places_);
  }
  void restore(const InputFile &checkpoint, const std::string &quantity, std::span<Real> values,
               Checksum &checksum) const {
    read(checkpoint, dataset(quantity), values);
    checksum.add_at<Real>(dataset(quantity), values, places_);
  }
  /// Prepares to write at most `rows` rows of a series at once. Collective. Throws
  /// hybridfft::Error.
  void reserve(std::ptrdiff_t rows);
  /// Number of points whose values this rank writes, after reserve().
  std::int64_t written_points() const {
    if (!list_) return static_cast<std::int64_t>(offsets_.size());
    return list_->exchange ? list_->exchange->count() : 0;
  }
  /// Bytes of this rank's lists of points.
  std::size_t bytes() const {
    return offsets_.size() * sizeof(offsets_[0]) + places_.size() * sizeof(places_[0]);
  }

private:
  /// Reads values written by write().
  void read(const InputFile &file, const std::string &dataset, std::span<Real> values) const;

  /// Sends values from the ranks of points to the writers of a list.
  struct List {
    grid::Communicator comm;
    std::int64_t total; ///< number of entries in the list
    std::ptrdiff_t reserved = 0;
    std::optional<grid::ListExchange<Real>> exchange{};
    std::vector<Real> piece{};
  };

  std::string suffix_;
  std::vector<std::ptrdiff_t> offsets_;
  std::vector<std::int64_t> places_;
  ExecArray<std::ptrdiff_t> device_offsets_;
  std::optional<List> list_; ///< set for a list only
  io::Shape shape_;          ///< shape [z][y][x] of a cuboid
  io::Hyperslab own_;        ///< this rank's part of the cuboid
};

/// Reads cuboids from the dataset sensor_mask_corners, [1][cuboids][6], with rows x1 y1 z1 x2 y2 z2
/// of one-based indices. Collective. Throws InputError for corners outside the grid or in
/// descending order.
std::vector<Cuboid> read_corners(const InputFile &file, const LocalGrid &local);

/// Reads the sensor masks of a file: one list for sensor_mask_index, or one cuboid per row of
/// sensor_mask_corners. Collective. Throws InputError.
template <class Real>
std::vector<std::unique_ptr<SensorMask<Real>>>
read_sensor(const InputFile &file, const Parameters &parameters, const LocalGrid &local,
            const grid::Communicator &comm);

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
  /// Starts to copy the values computed in the memory of begin(). Call it after enqueuing their
  /// computation.
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
  TimeSeries(OutputFile &out, std::string dataset, std::int64_t rows, std::int64_t done,
             std::ptrdiff_t rows_at_once, SensorMask<Real> &mask, const grid::Communicator &comm,
             const Exec &exec);

  /// Append a row. begin_row() returns the memory for this rank's values in the order of
  /// SensorMask::offsets(). Call end_row() after enqueuing their computation. Collective.
  Real *begin_row(OutputFile &out);
  void end_row() {
    copies_.end(row());
    ++rows_;
  }
  /// Writes the buffered rows. Collective.
  void flush(OutputFile &out);
  /// Writes the buffered rows and removes the dataset's remaining rows. Collective.
  void end_early(OutputFile &out) {
    flush(out);
    out.shrink_series(dataset_, static_cast<std::size_t>(written_));
  }

private:
  /// Number of values of a buffer.
  std::size_t buffer_values() const {
    return static_cast<std::size_t>(rows_at_once_) * row_values_;
  }
  Real *row() {
    return collected_.data() + static_cast<std::size_t>(buffer_) * buffer_values() +
           static_cast<std::size_t>(rows_) * row_values_;
  }
  void write(OutputFile &out, int buffer, std::ptrdiff_t rows);
  void write_waiting(OutputFile &out) {
    if (waiting_ == 0) return;
    copies_.wait_for_marked();
    write(out, 1 - buffer_, waiting_);
    waiting_ = 0;
  }

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
