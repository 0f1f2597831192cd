/// The acoustic intensity, averaged over time while the simulation runs, and its records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "kspace/base/parameters.h"
#include "kspace/files/field_values.h"
#include "kspace/files/output_file.h"
#include "kspace/record/half_step_shift.h"
#include "kspace/record/recording.h"
#include "kspace/record/sensor.h"
#include "kspace/record/time_series.h"

namespace hybridfft::kspace {

/// Mean over T samples of p(t) u_a(t + 1/2), for every component u_a of the velocity at some
/// points: the velocity is known half a time step before the pressure, and is brought to its time
/// by a Fourier shift of the whole series (see HalfStepShift). With s(m) = s(-1 - m) the sum over
/// pairs of samples becomes one over time of products with sums over the past,
///   sum over t of p(t) [sum over t' <= t of s(t - t') u(t')]
///               + u(t) [sum over t' <  t of s(t - t' - 1) p(t')].
/// Memory: 2 terms() values of each quantity and point, two of each average, and a few samples that
/// are worked on together; about 600 bytes a point in three dimensions, 2 kB in double precision,
/// however long the series.
template <class Real> class IntensityAverage {
public:
  /// \param components of the velocity
  /// \param samples T, \param done of them before, to go on after restoring
  IntensityAverage(std::size_t points, int components, std::int64_t samples, std::int64_t done,
                   grid::Host host);

  /// The row for the values of the next sample: quantity 0 is the pressure, a the component a - 1.
  std::span<Real> row(int quantity);
  /// The memory of all rows, of this and later samples.
  std::span<Real> samples() { return samples_; }
  /// To be called when the rows of a sample are given to be filled. True if they have to be full
  /// now: drain() comes next.
  bool next();
  /// Works up the samples that wait, to be called before states are looked at.
  void drain();

  /// The average of a component (from 0) at a point, in W/m^2, after T samples. Drain first.
  double mean(int component, std::size_t point) const;

  /// f(name, values) for all that a checkpoint has to keep.
  void for_each_state(const std::function<void(const std::string &, std::span<Real>)> &f);

private:
  /// Sums of one quantity over its past.
  struct Past {
    Real *recent, *early;
  };
  Past past(int quantity);
  std::span<Real> average(int component, bool correction);
  /// Works up a sample at points first ... last - 1, a few of them.
  void advance(const typename HalfStepShift<Real>::AtStep &step, std::size_t row, std::size_t first,
               std::size_t last);

  std::size_t points_;
  int quantities_;
  HalfStepShift<Real> shift_;
  grid::Host host_;
  std::int64_t done_;
  std::size_t waiting_ = 0;
  std::vector<Real> states_;  ///< [quantity][recent, early][term][point]
  std::vector<Real> sums_;    ///< [component][sum, correction][point]
  std::vector<Real> samples_; ///< [row][quantity][point]
};

/// Datasets Ix_avg, Iy_avg, Iz_avg (W/m^2): the intensity averaged over the recorded time steps
/// (see IntensityAverage), and Q_term (W/m^3): its negative divergence, the volume rate of heat
/// deposition. They have the shapes of p_max. The divergence is that of the intensity in the whole
/// grid, for any sensor, so that averages are kept of the whole grid for it. The host keeps the
/// averages: of fields on a device it gets the samples of each step.
template <class Real> class IntensityRecorder {
public:
  /// \param steps that will be recorded, \param done of them already. Borrows the masks.
  /// Collective.
  IntensityRecorder(IntensityRecording wanted, const Parameters &parameters, std::int64_t steps,
                    std::int64_t done, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                    const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// Takes the samples of a recorded step: the pressure (quantity 0), and the components of the
  /// velocity at the points of the pressure (1 ...), which exec has; then next().
  void sample(int quantity, const Field<Real> &field);
  void next();
  /// Writes the averages after the last step. Collective.
  void finish(OutputFile<Real> &out);
  /// Creates the datasets that finish() creates, for OutputFile::reserve(). Collective.
  void create_at_end(OutputFile<Real> &out) const;
  /// Writes the sums to a checkpoint, and reads them back. Collective.
  void save(OutputFile<Real> &checkpoint, Checksum &checksum);
  void restore(const InputFile<Real> &checkpoint, Checksum &checksum);

private:
  struct AtMask {
    SensorMask<Real> *mask;
    IntensityAverage<Real> average;
    PinnedMemory<Real> pinned;
    std::vector<SampleCopies<Real>> copies; ///< one for each quantity
  };
  void add(SensorMask<Real> &mask, std::int64_t steps, std::int64_t done);
  /// Waits for samples and adds them to the averages.
  static void drain(AtMask &at);
  /// Writes values of a field at the sensor.
  void write(OutputFile<Real> &out, const std::string &quantity, const Field<Real> &field) const;
  void write_averages(OutputFile<Real> &out);

  IntensityRecording wanted_;
  Parameters parameters_;
  const std::vector<std::unique_ptr<SensorMask<Real>>> *sensor_;
  LocalGrid local_;
  grid::Communicator comm_;
  Exec exec_;
  std::unique_ptr<SensorMask<Real>> everywhere_; ///< for the divergence, else none
  std::vector<AtMask> masks_;
};

} // namespace hybridfft::kspace
