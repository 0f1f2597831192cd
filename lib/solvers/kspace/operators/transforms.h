/// Distributed FFTs of fields, and products of their spectra with tables.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "hybridfft/hybridfft.hpp"
#include "solvers/kspace/base/field.h"
#include "solvers/kspace/base/local_grid.h"
#include "solvers/kspace/operators/spectral_operators.h"

namespace hybridfft::kspace {

/// A complex number with plain members, which compilers vectorise.
template <class Real> struct Complex { Real re, im; };
/// Factors along one axis of a spectrum, rounded from double precision.
template <class Real> using Factors = std::vector<Complex<Real>>;
/// Rounds factors to Real.
template <class Real> Factors<Real> rounded(const std::vector<std::complex<double>> &factors);

/// Planned FFTs of fields in slabs, in two or three dimensions. Spectra are transposed (see
/// TransposedSpectrum). Backward transforms are not normalised.
template <class Real> class Transforms {
public:
  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms, unless effort is
  /// estimate. Collective. Throws hybridfft::Error.
  Transforms(const LocalGrid &local, const grid::Communicator &comm, grid::Host host, Effort effort,
             Field<Real> &scratch);

  /// Computes the spectrum of the field and stores it in work(). The field keeps its values.
  void forward(const Field<Real> &field) { forward_.execute(field.real(), work_.spectrum()); }
  /// Transforms a spectrum to a field in place.
  void backward(Field<Real> &field) { backward_.execute(field.spectrum(), field.real()); }
  Field<Real> &work() { return work_; }
  const LocalGrid &local() const { return local_; }
  grid::Host host() const { return host_; }

  /// Computes to = table * f * from, with one factor f per bin of an axis. `to` and `from` may be
  /// the same field. The optional table has one real per bin, without padding.
  void multiply(const Field<Real> *table, int axis, const Factors<Real> &factors,
                const Field<Real> &from, Field<Real> &to) const;
  /// Computes to = table * from.
  void multiply(const Field<Real> &table, const Field<Real> &from, Field<Real> &to) const;
  /// Computes to = a * other + b * table * to.
  void combine(Real a, const Field<Real> &other, Real b, const Field<Real> &table,
               Field<Real> &to) const;
  /// Returns a table of f(|k|) for all bins of a grid with spacings d.
  template <class F> Field<Real> table(const std::array<double, 3> &d, const F &f) const;

  /// Describes the plans.
  std::string describe() const;

private:
  grid::View<const Complex<Real>> spectrum(const Field<Real> &field) const;

  LocalGrid local_;
  TransposedSpectrum spectrum_;
  grid::Host host_;
  Field<Real> work_;
  Plan<Real, Kind::r2c> forward_;  ///< out of place; keeps its input
  Plan<Real, Kind::c2r> backward_; ///< in place
};

template <class Real>
template <class F>
Field<Real> Transforms<Real>::table(const std::array<double, 3> &d, const F &f) const {
  const grid::Box box = spectrum_.box();
  Field<Real> table(static_cast<std::size_t>(box.extent(0) * box.extent(1) * box.extent(2)),
                    host_.threads);
  // Squares of the wave numbers along i, j and k.
  std::array<std::vector<double>, 3> k2;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    k2[static_cast<std::size_t>(spectrum_.place(axis))] =
        axis < local_.dimensions() ? squared_wavenumbers(local_.extents()[a], d[a])
                                   : std::vector<double>{0};
  }
  const grid::View<Real> out{table.data(), box.extent(1), box.extent(2)};
  const double *ki = k2[0].data() + spectrum_.start();
  const double *kj = k2[1].data();
  const double *kk = k2[2].data();
  grid::parallel_for(host_, box, [=](auto i, auto j, auto k) {
    out(i, j, k) = static_cast<Real>(f(std::sqrt(ki[i] + kj[j] + kk[k])));
  });
  return table;
}

} // namespace hybridfft::kspace
