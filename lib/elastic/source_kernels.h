/// Kernels that apply sources, for threads of the host and for devices.
#pragma once

#include "elastic/scheme.h"

namespace hybridfft::elastic::kernels {

/// A signal's effect on a point.
struct Contribution {
  double weight = 0;
  Index signal = 0;
  bool replace = false; ///< the point becomes the value, instead of gaining it
  Index steps = 0;      ///< of the signal; a point that is replaced is free afterwards
};

/// A point of a field, and its contributions.
struct DrivenPoint {
  int field = 0;
  Index offset = 0;          ///< in the field
  Index first = 0, last = 0; ///< contributions first <= n < last, in the order of the sources
};

/// Applies the contributions of a time step to driven point number n, called as (0, 0, n).
template <class Real> struct Drive {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index n) const {
    const DrivenPoint &at = points[n];
    Real value = field[at.field][at.offset];
    for (Index c = at.first; c < at.last; ++c) {
      if (step >= contributions[c].steps) continue;
      const auto gain =
          static_cast<Real>(contributions[c].weight * samples[contributions[c].signal]);
      value = contributions[c].replace ? gain : value + gain;
    }
    field[at.field][at.offset] = value;
  }

  const DrivenPoint *points;
  const Contribution *contributions;
  const double *samples; ///< the time step's sample of each signal
  Index step;            ///< number of the time step
  Real *field[fields];
};

} // namespace hybridfft::elastic::kernels
