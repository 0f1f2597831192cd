/// Element-wise work that is not part of the equations: kernels of sources. Threads of the host and
/// kernels of devices run it (see for_points()).
#pragma once

#include <cstddef>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace::kernels {

using grid::Index;

/// One value at all points.
template <class Real> struct SetTo {
  grid::View<Real> field;
  Real value;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { field(i, j, k) = value; }
};

/// Values of a source at its points, by their numbers k. Point k has the entries first[k] ...
/// first[k + 1] - 1 of the source, which take their turns: all are added, or the last one replaces
/// the value.
template <class Real> struct DrivePoints {
  Real *field;
  const Index *offsets; ///< offsets of the points in the field
  const Index *first;
  const Real *signal;
  Index stride;        ///< from one entry's value to the next one's in the signal; 0: one for all
  const Index *delays; ///< places of the entries' values instead; nullptr: none
  bool add;

  HFFT_HOST_DEVICE void operator()(Index, Index, Index k) const {
    Real value = field[offsets[k]];
    for (Index entry = first[k]; entry < first[k + 1]; ++entry) {
      const Real driven = signal[delays != nullptr ? delays[entry] : entry * stride];
      value = add ? value + driven : driven;
    }
    field[offsets[k]] = value;
  }
};

} // namespace hybridfft::kspace::kernels
