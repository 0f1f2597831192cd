/// What a simulation records, and its recording.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kspace/time_series.h"

namespace hybridfft::kspace {

/// The wishes of the user.
struct Recording {
  bool p = false;         ///< pressure at the sensor over time
  bool p_max = false;     ///< its maximum over the recorded steps
  bool p_final = false;   ///< pressure everywhere after the last step
  std::int64_t start = 1; ///< first recorded step, from 1; p_final does not depend on it
};

/// Takes samples and writes the datasets p, p_max and p_final. Collective throughout.
class Recorder {
public:
  /// Creates the time series. Borrows out, sensor and slab.
  Recorder(const Recording &wanted, std::int64_t steps, OutputFile &out, const Sensor &sensor,
           const Slab &slab, const grid::Communicator &comm, grid::Host host);

  /// After time step n (from 0).
  void sample(std::int64_t n, const Field &pressure);
  /// After the last step: writes what is not written yet.
  void finish(const Field &pressure);

private:
  Recording wanted_;
  OutputFile &out_;
  const Sensor &sensor_;
  const Slab &slab_;
  grid::Host host_;
  std::ptrdiff_t rows_at_once_;
  grid::ListExchange exchange_;
  std::optional<TimeSeries> p_;
  std::vector<float> sampled_, max_;
};

} // namespace hybridfft::kspace
