/// One recorded quantity as a function of time at the sensor.
#pragma once

#include <string>
#include <vector>

#include "kspace/record/sample_copies.h"
#include "kspace/record/sensor.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Rows of a dataset, collected over some time steps in bounded memory and written together.
class TimeSeries {
public:
  /// Steps to collect so that no buffer of any rank exceeds a few megabytes. Collective.
  static std::ptrdiff_t rows_at_once(SensorMask &mask, std::int64_t rows,
                                     const grid::Communicator &comm);

  /// Creates the dataset of `rows` rows, of which the first `done` are written already: then it has
  /// to be there, else InputError. Borrows the mask. Collective.
  TimeSeries(OutputFile &out, std::string dataset, std::int64_t rows, std::int64_t done,
             std::ptrdiff_t rows_at_once, SensorMask &mask, const grid::Communicator &comm,
             const Exec &exec);

  /// Appends a row: where exec is to put this rank's values, in the order of SensorMask::offsets(),
  /// and then that it has been given this work. Collective.
  Real *begin_row(OutputFile &out);
  void end_row();
  /// Writes the collected rows. Collective.
  void flush(OutputFile &out);

private:
  Real *row() { return collected_.data() + static_cast<std::size_t>(rows_) * row_values_; }

  std::string dataset_;
  std::ptrdiff_t rows_at_once_;
  SensorMask *mask_;
  std::size_t row_values_;
  std::vector<Real> collected_; ///< room for rows_at_once_
  std::ptrdiff_t rows_ = 0;     ///< collected
  std::ptrdiff_t written_;      ///< rows in the file
  PinnedMemory pinned_;
  SampleCopies copies_;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
