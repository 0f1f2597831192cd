/// The acoustic intensity, averaged over time while the simulation runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "kspace/record/half_step_shift.h"

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
  void advance(const HalfStepShift<Real>::AtStep &step, std::size_t row, std::size_t first,
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

} // namespace hybridfft::kspace
