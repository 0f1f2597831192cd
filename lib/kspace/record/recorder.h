/// The recording of fields.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kspace/base/field.h"
#include "kspace/base/parameters.h"
#include "kspace/files/field_values.h"
#include "kspace/operators/derivative.h"
#include "kspace/record/intensity.h"
#include "kspace/record/recording.h"
#include "kspace/record/sensor.h"
#include "kspace/record/time_series.h"

namespace hybridfft::kspace {

/// Records the wanted ones of `quantities` of one field, in datasets whose names begin with that of
/// the field. A device takes the samples of its own fields and combines them: only values that are
/// written are copied to the host. All calls are collective.
template <class Real> class FieldRecorder {
public:
  /// \param name of the quantity, \param steps that will be recorded, \param done of them already
  /// Creates the time series. Borrows the masks.
  FieldRecorder(const std::string &name, const FieldRecording &wanted, std::int64_t steps,
                std::int64_t done, OutputFile<Real> &out,
                const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// Exec has the fields.
  void sample(OutputFile<Real> &out, const Field<Real> &field);
  void finish(OutputFile<Real> &out, const Field<Real> &field);
  /// Creates the datasets that finish() creates, for OutputFile::reserve().
  void create_at_end(OutputFile<Real> &out) const;
  /// Writes the collected rows of the time series.
  void flush(OutputFile<Real> &out);
  /// "dataset p_rms: found inf at entry 3 ...", for each dataset of finish() at the sensor with
  /// values that are not finite.
  const std::vector<std::string> &not_finite() const { return not_finite_; }
  /// Writes records that are not finished to a checkpoint, and reads them back.
  void save(OutputFile<Real> &checkpoint, Checksum &checksum) const;
  void restore(const InputFile<Real> &checkpoint, Checksum &checksum);

private:
  /// Values of one mask.
  struct AtMask {
    SensorMask<Real> *mask;
    std::optional<TimeSeries<Real>> series;
    /// Values combined so far, by the rows of `quantities`, one per point; empty unless wanted.
    std::array<ExecArray<Real>, quantity_count> combined;
  };
  /// Calls f(number, quantity) for each wanted row of `quantities` that is kept so.
  template <class F> void for_each_wanted(Keep keep, const F &f) const {
    for_each_quantity([&](std::size_t i, const auto &quantity) {
      if (quantity.keep == keep && wanted_[i]) f(i, quantity);
    });
  }
  void prepare(const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor);
  void sample_at(AtMask &at, OutputFile<Real> &out, const Field<Real> &field) const;
  void finish_at(AtMask &at, OutputFile<Real> &out);
  void sample_in_grid(const Field<Real> &field) const;
  std::vector<Real> on_host(const ExecArray<Real> &values) const;
  /// Creates and writes one value per point of the mask.
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
      in_grid_; ///< by the rows of `quantities`; empty unless wanted
};

/// Takes samples of all fields and writes the wanted records. Collective throughout.
template <class Real> class Recorder {
public:
  /// \param done time steps of the simulation that were done before, to go on after them
  /// Creates the time series. Borrows all but `wanted`.
  Recorder(const Recording &wanted, const Parameters &parameters, std::int64_t done,
           OutputFile<Real> &out, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
           const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// True if sample(n) records values.
  bool samples(std::int64_t n) const { return n >= first_ && samples_; }
  /// Records the fields after time step n (from 0).
  void sample(std::int64_t n, const State<Real> &state, Derivative<Real> &derivative);
  /// Writes the remaining records after the last step.
  void finish(const State<Real> &state);
  /// See FieldRecorder.
  std::vector<std::string> not_finite() const;
  /// Creates the datasets that finish() creates, for OutputFile::reserve().
  void create_at_end();
  /// Writes the collected rows.
  void flush();
  void save(OutputFile<Real> &checkpoint, Checksum &checksum);
  void restore(const InputFile<Real> &checkpoint, Checksum &checksum);

private:
  std::int64_t first_;
  bool samples_;
  OutputFile<Real> &out_;
  FieldRecorder<Real> pressure_;
  std::vector<FieldRecorder<Real>> velocity_;
  std::vector<FieldRecorder<Real>> unstaggered_; ///< empty unless wanted
  std::optional<IntensityRecorder<Real>> intensity_;
};

} // namespace hybridfft::kspace
