/// One recorded quantity as a function of time at the sensor.
#pragma once

#include <string>
#include <vector>

#include "kspace/sensor.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Rows of a dataset, collected over some time steps in bounded memory and written together.
class TimeSeries {
public:
  /// Steps to collect so that no buffer of any rank exceeds a few megabytes. Collective.
  static std::ptrdiff_t rows_at_once(const SensorMask &mask, std::int64_t rows,
                                     const grid::Communicator &comm);

  /// Creates the dataset of `rows` rows, of which the first `done` are written already: then it has
  /// to be there, else InputError. Borrows the mask.
  TimeSeries(OutputFile &out, std::string dataset, std::int64_t rows, std::int64_t done,
             std::ptrdiff_t rows_at_once, SensorMask &mask);

  /// Appends a row: this rank's values, in the order of SensorMask::offsets(). Collective.
  void append(OutputFile &out, std::span<const Real> values);
  /// Writes what is collected. Collective.
  void flush(OutputFile &out);

private:
  std::string dataset_;
  std::ptrdiff_t rows_at_once_;
  SensorMask *mask_;
  std::vector<Real> collected_;
  std::ptrdiff_t rows_ = 0; ///< collected
  std::ptrdiff_t written_;  ///< rows in the file
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
