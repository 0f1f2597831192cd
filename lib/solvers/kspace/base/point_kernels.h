/// Element-wise kernels of sources. Host threads and devices run the same functors (see
/// for_points()).
#pragma once

#include <cstddef>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"

namespace hybridfft::kspace::kernels {

using grid::Index;

/// Sets all points to one value.
template <class Real> struct SetTo {
  grid::View<Real> field;
  Real value;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { field(i, j, k) = value; }
};

/// Drives the points of a source, k = 0, 1, ... Point k has the entries first[k] ... first[k + 1] -
/// 1 of the source. All entries are added, or the last one replaces the value.
template <class Real> struct DrivePoints {
  Real *field;
  const Index *offsets; ///< offsets of the points in the field
  const Index *first;
  const Real *signal;
  Index stride; ///< distance of consecutive entries in the signal; 0: one value for all
  const Index
      *delays; ///< position of each entry in the signal, instead of the stride; nullptr: none
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
