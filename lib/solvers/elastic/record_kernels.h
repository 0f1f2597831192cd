/// Kernels that record fields at points, for host threads and devices.
#pragma once

#include "hybridfft/grid/array.hpp"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic::kernels {

/// A field, or the pressure: the negative mean of the three normal stresses.
template <class Real> struct Quantity {
  HFFT_HOST_DEVICE Real operator()(Index n) const {
    return second == nullptr ? first[n] : -(first[n] + second[n] + third[n]) / 3;
  }
  const Real *first, *second = nullptr, *third = nullptr;
};

/// Sets values[n] to the quantity at the n-th listed point; called as (0, 0, n).
template <class Real> struct Gather {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index n) const {
    values[n] = quantity(offsets[n]);
  }
  Quantity<Real> quantity;
  const Index *offsets;
  Real *values;
};

/// Copies the quantity at each point to an array.
template <class Real> struct Store {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    values(i, j, k) = quantity(lattice.at(i, j, k));
  }
  grid::Lattice lattice;
  Quantity<Real> quantity;
  grid::View<Real> values;
};

/// Updates the maximum or minimum over time at each point.
template <class Real> struct Extreme {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Real now = quantity(lattice.at(i, j, k));
    Real &so_far = values(i, j, k);
    if (smallest ? now < so_far : now > so_far) so_far = now;
  }
  grid::Lattice lattice;
  Quantity<Real> quantity;
  grid::View<Real> values;
  bool smallest;
};

/// Updates the maximum over time of the squared speed at each point.
template <class Real> struct PeakSpeed {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    const Index n = lattice.at(i, j, k);
    const Real square = x[n] * x[n] + y[n] * y[n] + z[n] * z[n];
    Real &so_far = values(i, j, k);
    if (square > so_far) so_far = square;
  }
  grid::Lattice lattice;
  const Real *x, *y, *z;
  grid::View<Real> values;
};

/// Sets each point to a value.
template <class Real> struct Fill {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const { values(i, j, k) = value; }
  grid::View<Real> values;
  Real value;
};

} // namespace hybridfft::elastic::kernels
