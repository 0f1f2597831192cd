/// One recorded quantity as a function of time at the sensor.
#pragma once

#include <string>
#include <vector>

#include "kspace/record/sample_copies.h"
#include "kspace/record/sensor.h"

namespace hybridfft::kspace {

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
