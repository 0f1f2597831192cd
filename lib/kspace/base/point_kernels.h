/// Element-wise work that is not part of the equations: what sensors record, what sources drive.
/// For threads of the host and kernels of devices (see for_points()).
#pragma once

#include <cstddef>

#include "grid/rows.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/box.hpp"
#include "kspace/base/real.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::kernels {

using grid::Index;

/// Neither is taken for a number where the other one is none.
HFFT_HOST_DEVICE inline Real larger(Real a, Real b) { return a < b ? b : a; }
HFFT_HOST_DEVICE inline Real smaller(Real a, Real b) { return b < a ? b : a; }

/// One value at all points.
struct SetTo {
  grid::View<Real> field;
  Real value;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { field(i, j, k) = value; }
};

/// Values of a field at a list of points, by the numbers k of its entries, and what becomes of
/// them. All but the first two are nullptr where they are not wanted.
struct SampleAtPoints {
  const Real *field;
  const Index *offsets; ///< of the points, in the field
  Real *values;
  Real *squares; ///< sums over time
  Real *largest, *smallest;

  HFFT_HOST_DEVICE void operator()(Index, Index, Index k) const {
    const Real value = field[offsets[k]];
    if (values != nullptr) values[k] = value;
    if (squares != nullptr) squares[k] += value * value;
    if (largest != nullptr) largest[k] = larger(largest[k], value);
    if (smallest != nullptr) smallest[k] = smaller(smallest[k], value);
  }
};

/// The largest and smallest values that a field has had, at all points; one of them alone where the
/// other one is not wanted, so that the host's loops have no branches.
template <bool Largest, bool Smallest> struct KeepExtremes {
  grid::Rows<Real> field;
  grid::View<Real> largest, smallest;

  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Real value = field(i, j, k);
    if constexpr (Largest) largest(i, j, k) = larger(largest(i, j, k), value);
    if constexpr (Smallest) smallest(i, j, k) = smaller(smallest(i, j, k), value);
  }
};

/// Values of a source at its points, by their numbers k. Point k has the entries first[k] ...
/// first[k
/// + 1] - 1 of the source, which take their turns: all are added, or the last one replaces what was
/// there.
struct DrivePoints {
  Real *field;
  const Index *offsets; ///< of the points, in the field
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

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::kernels
