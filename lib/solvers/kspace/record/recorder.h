/// Samples fields at the sensor and at all grid points, and writes the requested datasets. Detects
/// the steady state of a periodic wave.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/exec.h"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/kspace/record/intensity.h"
#include "solvers/kspace/record/recording.h"
#include "solvers/kspace/record/sensor.h"

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
                std::int64_t done, OutputFile &out,
                const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// Samples a field in the memory of exec.
  void sample(OutputFile &out, const Field<Real> &field) {
    for (AtMask &at : masks_)
      sample_at(at, out, field);
    sample_in_grid(field);
  }
  void finish(OutputFile &out, const Field<Real> &field);
  /// Creates the datasets that finish() writes; called within OutputFile::reserve().
  void create_at_end(OutputFile &out) const;
  /// Writes the buffered rows of the time series.
  void flush(OutputFile &out) {
    for (AtMask &at : masks_)
      if (at.series) at.series->flush(out);
  }
  /// Discards the combined values and records the next `steps` steps instead.
  void restart(std::int64_t steps);
  /// Ends the time series at the current step and removes its remaining rows.
  void end_early(OutputFile &out) {
    for (AtMask &at : masks_)
      if (at.series) at.series->end_early(out);
  }
  /// Messages such as "dataset p_rms: found inf at entry 3 ...", one for each dataset that finish()
  /// writes at the sensor with values that are not finite.
  const std::vector<std::string> &not_finite() const { return not_finite_; }
  /// Returns the combined values of a quantity at this rank's points of all masks.
  std::vector<Real> combined(std::size_t row_of_quantity) const;
  /// save() writes partially recorded data to a checkpoint; restore() reads them.
  void save(OutputFile &checkpoint, Checksum &checksum) const;
  void restore(const InputFile &checkpoint, Checksum &checksum);

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
  void sample_at(AtMask &at, OutputFile &out, const Field<Real> &field) const;
  void finish_at(AtMask &at, OutputFile &out);
  void sample_in_grid(const Field<Real> &field) const;
  std::vector<Real> on_host(const ExecArray<Real> &values) const {
    std::vector<Real> copy;
    comm_.agree([&] { copy = values.on_host(); });
    return copy;
  }

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
           OutputFile &out, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
           const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// True if sample(n) records values.
  bool samples(std::int64_t n) const { return n >= first_ && samples_; }
  /// Records the fields after time step n (from 0).
  void sample(std::int64_t n, const State<Real> &state, Derivative<Real> &derivative);
  /// Writes the datasets completed by the last step.
  void finish(const State<Real> &state) {
    for (std::size_t f = 0; f < fields_.size(); ++f)
      fields_[f].finish(out_, f == 0 ? state.pressure : state.velocity[(f - 1) % dimensions_]);
    if (intensity_) intensity_->finish(out_);
  }
  /// See FieldRecorder.
  std::vector<std::string> not_finite() const {
    std::vector<std::string> all;
    for (const FieldRecorder<Real> &field : fields_)
      all.insert(all.end(), field.not_finite().begin(), field.not_finite().end());
    return all;
  }
  /// Creates the datasets that finish() writes; called within OutputFile::reserve().
  void create_at_end() {
    for (const FieldRecorder<Real> &field : fields_)
      field.create_at_end(out_);
    if (intensity_) intensity_->create_at_end(out_);
  }
  /// Writes the buffered rows of all time series.
  void flush() {
    for (FieldRecorder<Real> &field : fields_)
      field.flush(out_);
  }
  /// See FieldRecorder.
  void restart(std::int64_t steps) {
    for (FieldRecorder<Real> &field : fields_)
      field.restart(steps);
  }
  void end_early() {
    for (FieldRecorder<Real> &field : fields_)
      field.end_early(out_);
  }
  void save(OutputFile &checkpoint, Checksum &checksum) {
    for (const FieldRecorder<Real> &field : fields_)
      field.save(checkpoint, checksum);
    if (intensity_) intensity_->save(checkpoint, checksum);
  }
  void restore(const InputFile &checkpoint, Checksum &checksum) {
    for (FieldRecorder<Real> &field : fields_)
      field.restore(checkpoint, checksum);
    if (intensity_) intensity_->restore(checkpoint, checksum);
  }

private:
  std::int64_t first_;
  bool samples_;
  std::size_t dimensions_;
  OutputFile &out_;
  /// Pressure, velocity components, and velocity components at the pressure points if recorded.
  std::vector<FieldRecorder<Real>> fields_;
  std::optional<IntensityRecorder<Real>> intensity_;
};

/// Compares the maximum pressures of successive periods at each sensor point. Collective.
template <class Real> class SteadyState {
public:
  /// Borrows the output and the masks.
  /// \param change the state is steady if the maxima change by less than this share of the largest
  /// maximum
  /// \throws hybridfft::Error on all ranks if memory is short
  SteadyState(double change, OutputFile &out,
              const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor, const LocalGrid &local,
              const grid::Communicator &comm, const Exec &exec)
      : change_(change), comm_(comm), out_(out),
        maximum_("p", FieldRecording::only("max"), 0, 0, out, sensor, local, comm, exec) {}

  /// Adds a time step's pressure to the maxima of the current period.
  void sample(const Field<Real> &pressure) { maximum_.sample(out_, pressure); }
  /// Ends a period.
  /// \param whole false for a period whose first steps were not sampled; it is not compared
  /// \return true if the maxima differ from the previous period's by less than the constructor's
  /// `change`
  bool end_period(bool whole);
  /// Change between the last two periods, relative to the largest maximum; 1 before there are two.
  double change() const { return found_; }

private:
  double change_;
  grid::Communicator comm_;
  OutputFile &out_; ///< not written
  FieldRecorder<Real> maximum_;
  std::vector<Real> before_; ///< maxima of the previous period; empty if there is none
  double found_ = 1;
};

} // namespace hybridfft::kspace
