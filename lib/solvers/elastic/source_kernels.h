/// Kernels to apply sources, for threads of the host and for devices.
#pragma once

#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic::kernels {

/// A signal's effect on a point.
struct Contribution {
  double weight = 0;
  Index signal = 0;
  bool replace = false; ///< true: the value replaces the point; false: it is added
  Index steps = 0; ///< number of the signal's steps; afterwards a replaced point evolves freely
};

/// A point of a field, and its contributions.
template <class Real> struct DrivenPoint {
  Real *value = nullptr;
  Index offset = 0;          ///< offset of the value in its field
  Index first = 0, last = 0; ///< contributions first <= n < last, in the order of the sources
};

/// Applies the contributions of a time step to driven point number n, called as (0, 0, n).
template <class Real> struct Drive {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index n) const {
    const DrivenPoint<Real> &at = points[n];
    Real value = *at.value;
    for (Index c = at.first; c < at.last; ++c) {
      if (step >= contributions[c].steps) continue;
      const auto gain =
          static_cast<Real>(contributions[c].weight * samples[contributions[c].signal]);
      value = contributions[c].replace ? gain : value + gain;
    }
    *at.value = value;
  }

  const DrivenPoint<Real> *points;
  const Contribution *contributions;
  const double *samples; ///< the time step's sample of each signal
  Index step;            ///< number of the time step
};

} // namespace hybridfft::elastic::kernels
