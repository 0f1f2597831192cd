/// Samples fields at the sensor and at all grid points, and writes the requested datasets.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/field_values.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/record/intensity.h"
#include "solvers/kspace/record/recording.h"
#include "solvers/kspace/record/sensor.h"
#include "solvers/kspace/record/time_series.h"

namespace hybridfft::kspace {

/// Records the requested quantities of one field (see `quantities`). Dataset names begin with the
/// field's name. A device samples and combines its own fields; only values to be written are copied
/// to the host. All calls are collective.
template <class Real> class FieldRecorder {
public:
  /// Creates the time series. Borrows the masks.
  /// \param name of the field
  /// \param steps number of recorded steps
  /// \param done number of recorded steps before a restart
  FieldRecorder(const std::string &name, const FieldRecording &wanted, std::int64_t steps,
                std::int64_t done, OutputFile<Real> &out,
                const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// Samples a field in the memory of exec.
  void sample(OutputFile<Real> &out, const Field<Real> &field);
  void finish(OutputFile<Real> &out, const Field<Real> &field);
  /// Creates the datasets that finish() writes; called within OutputFile::reserve().
  void create_at_end(OutputFile<Real> &out) const;
  /// Writes the buffered rows of the time series.
  void flush(OutputFile<Real> &out);
  /// Discards the combined values and records the next `steps` steps instead.
  void restart(std::int64_t steps);
  /// Ends the time series at the current step and removes its remaining rows.
  void end_early(OutputFile<Real> &out);
  /// Messages such as "dataset p_rms: found inf at entry 3 ...", one for each dataset that finish()
  /// writes at the sensor with values that are not finite.
  const std::vector<std::string> &not_finite() const { return not_finite_; }
  /// Write partially recorded data to a checkpoint, and read them.
  void save(OutputFile<Real> &checkpoint, Checksum &checksum) const;
  void restore(const InputFile<Real> &checkpoint, Checksum &checksum);

private:
  /// Records at one sensor mask.
  struct AtMask {
    SensorMask<Real> *mask;
    std::optional<TimeSeries<Real>> series;
    /// One array for each row of `quantities`, with a combined value per point; empty if not
    /// recorded.
    std::array<ExecArray<Real>, quantity_count> combined;
  };
  /// Calls f(number, quantity) for each requested row of `quantities` that is kept as `keep`.
  template <class F> void for_each_wanted(Keep keep, const F &f) const {
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      if (quantity.keep == keep && wanted_[i]) f(i, quantity);
    });
  }
  void prepare(const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor);
  void clear_in_grid() const;
  void sample_at(AtMask &at, OutputFile<Real> &out, const Field<Real> &field) const;
  void finish_at(AtMask &at, OutputFile<Real> &out);
  void sample_in_grid(const Field<Real> &field) const;
  std::vector<Real> on_host(const ExecArray<Real> &values) const;
  /// Creates a dataset and writes one value per point of the mask.
  void write(const AtMask &at, OutputFile<Real> &out, const std::string &dataset,
             std::span<const Real> values) const;

  std::string name_;
  FieldRecording wanted_;
  std::int64_t steps_;
  LocalGrid local_;
  grid::Communicator comm_;
  Exec exec_;
  std::vector<AtMask> masks_;
  std::vector<std::string> not_finite_;
  std::array<Field<Real>, quantity_count>
      in_grid_; ///< one field for each row of `quantities`; empty if not recorded
};

/// Samples all fields of a simulation and writes the requested datasets. All calls are collective.
template <class Real> class Recorder {
public:
  /// Creates the time series. Borrows all references but `wanted`.
  /// \param done number of the simulation's time steps before a restart
  Recorder(const Recording &wanted, const Parameters &parameters, std::int64_t done,
           OutputFile<Real> &out, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
           const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// True if sample(n) records values.
  bool samples(std::int64_t n) const { return n >= first_ && samples_; }
  /// Records the fields after time step n (from 0).
  void sample(std::int64_t n, const State<Real> &state, Derivative<Real> &derivative);
  /// Writes the datasets completed by the last step.
  void finish(const State<Real> &state);
  /// See FieldRecorder.
  std::vector<std::string> not_finite() const;
  /// Creates the datasets that finish() writes; called within OutputFile::reserve().
  void create_at_end();
  /// Writes the buffered rows of all time series.
  void flush();
  /// See FieldRecorder.
  void restart(std::int64_t steps);
  void end_early();
  void save(OutputFile<Real> &checkpoint, Checksum &checksum);
  void restore(const InputFile<Real> &checkpoint, Checksum &checksum);

private:
  std::int64_t first_;
  bool samples_;
  OutputFile<Real> &out_;
  FieldRecorder<Real> pressure_;
  std::vector<FieldRecorder<Real>> velocity_;
  std::vector<FieldRecorder<Real>> unstaggered_; ///< empty unless recorded
  std::optional<IntensityRecorder<Real>> intensity_;
};

} // namespace hybridfft::kspace
