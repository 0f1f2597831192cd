/// Computes the time-averaged acoustic intensity during the simulation and writes its datasets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/output_file.h"
#include "solvers/kspace/record/half_step_shift.h"
#include "solvers/kspace/record/recording.h"
#include "solvers/kspace/record/sensor.h"

namespace hybridfft::kspace {

/// The mean over T samples of p(t) u_a(t + 1/2) for each velocity component u_a at some points. The
/// velocity lags the pressure by half a time step; a Fourier shift of the whole series moves it to
/// the time of the pressure (see HalfStepShift). Since s(m) = s(-1 - m), the sum over pairs of
/// samples is one sum over time with sums over the past:
///   sum over t of p(t) [sum over t' <= t of s(t - t') u(t')]
///               + u(t) [sum over t' <  t of s(t - t' - 1) p(t')].
/// Memory per point is 2 terms() values of each quantity, two values of each average, and a buffer
/// of a few samples: about 600 bytes in three dimensions, or 2 kB in double precision, for any
/// length of the series.
template <class Real> class IntensityAverage {
public:
  /// \param components number of velocity components
  /// \param samples T
  /// \param done number of samples before a restart
  IntensityAverage(std::size_t points, int components, std::int64_t samples, std::int64_t done,
                   grid::Host host);

  /// Returns the buffer for the next sample of a quantity: 0 is the pressure, and a the velocity
  /// component a - 1.
  std::span<Real> row(int quantity);
  /// All buffered samples, for asynchronous copies.
  std::span<Real> samples() { return samples_; }
  /// Call it after calling row() for all quantities of a sample. Returns true if the buffer is
  /// full. In this case, wait for the values and call drain().
  bool next();
  /// Adds the buffered samples to the sums. Call it before for_each_state() and mean().
  void drain();

  /// Returns the average of a component (from 0) at a point in W/m^2, after T samples. Call drain()
  /// first.
  double mean(int component, std::size_t point) const {
    const std::size_t at = 2 * static_cast<std::size_t>(component) * points_ + point;
    // The stored sum does not include its compensation yet.
    return (static_cast<double>(sums_[at]) - static_cast<double>(sums_[at + points_])) /
           static_cast<double>(shift_.samples());
  }

  /// Calls f(name, values) for each array that a checkpoint must contain.
  void for_each_state(const std::function<void(const std::string &, std::span<Real>)> &f);

private:
  /// Sums over past samples of one quantity, [term][point]: `recent` with the factors decay() of
  /// HalfStepShift, `early` with the factors AtStep::early.
  struct Past {
    Real *recent, *early;
  };
  Past past(int quantity) {
    const std::size_t all = shift_.terms() * points_;
    Real *recent = states_.data() + static_cast<std::size_t>(quantity) * 2 * all;
    return {recent, recent + all};
  }
  std::span<Real> average(int component, bool correction) {
    const std::size_t at = 2 * static_cast<std::size_t>(component) + (correction ? 1 : 0);
    return std::span(sums_).subspan(at * points_, points_);
  }
  /// Adds a buffered sample to the sums of the points [first, last), at most a tile.
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

/// Records the datasets Ix_avg, Iy_avg, Iz_avg (W/m^2), which are intensities averaged over the
/// recorded time steps (see IntensityAverage), and Q_term (W/m^3). Q_term is the negative
/// divergence of the average intensity, the volume rate of heat deposition. All have the shapes of
/// p_max. The divergence needs averages at all grid points, whatever the sensor. Averages are
/// stored on the host; a device sends it the samples of each step.
template <class Real> class IntensityRecorder {
public:
  /// Borrows the masks. Collective.
  /// \param steps number of recorded steps
  /// \param done number of recorded steps before a restart
  IntensityRecorder(IntensityRecording wanted, const Parameters &parameters, std::int64_t steps,
                    std::int64_t done, const std::vector<std::unique_ptr<SensorMask<Real>>> &sensor,
                    const LocalGrid &local, const grid::Communicator &comm, const Exec &exec);

  /// Adds one quantity of a recorded step: the pressure (0), or a velocity component at the
  /// pressure points (1 ...), in the memory of exec. Call next() after all quantities.
  void sample(int quantity, const Field<Real> &field);
  void next() {
    for (IntensityAtMask &at : masks_)
      if (at.average.next()) drain(at);
  }
  /// Writes the averages after the last step. Collective.
  void finish(OutputFile &out);
  /// Creates the datasets of finish(), for OutputFile::reserve(). Collective.
  void create_at_end(OutputFile &out) const;
  /// save() writes the sums to a checkpoint; restore() reads them. Collective.
  void save(OutputFile &checkpoint, Checksum &checksum);
  void restore(const InputFile &checkpoint, Checksum &checksum) {
    for (IntensityAtMask &at : masks_)
      at.average.for_each_state([&](const std::string &name, std::span<Real> values) {
        at.mask->restore(checkpoint, name, values, checksum);
      });
  }

private:
  struct IntensityAtMask {
    SensorMask<Real> *mask;
    IntensityAverage<Real> average;
    PinnedMemory<Real> pinned;
    std::vector<SampleCopies<Real>> copies; ///< one for each quantity
  };
  void add(SensorMask<Real> &mask, std::int64_t steps, std::int64_t done);
  /// Waits for the samples of a mask and adds them to its averages.
  static void drain(IntensityAtMask &at) {
    for (const SampleCopies<Real> &copies : at.copies)
      copies.finish();
    at.average.drain();
  }
  /// Writes a field's values at the sensor.
  void write(OutputFile &out, const std::string &quantity, const Field<Real> &field) const;
  void write_averages(OutputFile &out);

  IntensityRecording wanted_;
  Parameters parameters_;
  const std::vector<std::unique_ptr<SensorMask<Real>>> *sensor_;
  LocalGrid local_;
  grid::Communicator comm_;
  Exec exec_;
  std::unique_ptr<SensorMask<Real>>
      everywhere_; ///< mask of all grid points, for the divergence; else nullptr
  std::vector<IntensityAtMask> masks_;
};

} // namespace hybridfft::kspace
