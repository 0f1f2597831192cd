/// Kernels that apply sources to fields, for host threads and devices.
#pragma once

#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic::kernels {

/// The effect of one signal on one point of a field.
struct Contribution {
  double weight = 0;
  Index signal = 0;
  bool replace = false; ///< true: the value replaces the point; false: it is added
  Index steps = 0;      ///< number of samples; afterwards a replaced point evolves freely
};

/// A point of a field with its contributions from signals.
template <class Real> struct DrivenPoint {
  Real *value = nullptr;
  Index offset = 0; ///< offset of the value in its field
  Index first = 0,
        last = 0; ///< range first <= n < last of contributions, in the order of the sources
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
  const double *samples; ///< sample of each signal in this time step
  Index step;            ///< number of the time step
};

} // namespace hybridfft::elastic::kernels
