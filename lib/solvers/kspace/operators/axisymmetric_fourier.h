/// Spectral operators of the time step on an axisymmetric grid: FFTs along the axis, sine and
/// cosine transforms along the radius.
#pragma once

#include <array>
#include <vector>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/operators/global_fourier.h"

namespace hybridfft::kspace {

/// x is the axis. Grid point j of y has the radius j dy, and staggered points have (j + 1/2) dy.
/// Along x fields are Fourier series. Along y, pressure and axial velocity are sums of cosines of
/// ky_j r and the radial velocity is a sum of sines, with ky_j = pi (j + 1/2)/(Ny dy). Sums of
/// cosines are even about the axis and zero at the outer end. The transforms are DCT-III, DCT-II,
/// DCT-IV and DST-IV (Treeby, Wise, Kuklis, Jaros and Cox, JASA 148 (2020) 2288).
///
/// Transforms are plans with one kind of transform per axis. Spectra have the layout [kx][y] of
/// TransposedSpectrum, distributed along kx.
template <class Real> class AxisymmetricFourier final : public UnfusedFourier<Real> {
public:
  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms. Collective.
  AxisymmetricFourier(const Parameters &parameters, const LocalGrid &local,
                      const grid::Communicator &comm, grid::Host host, Effort effort,
                      Field<Real> &scratch);

  void gradient(Field<Real> &p, const UseComponent<Real> &use) override;
  void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  void correct(Driven driven, const Field<Real> &source, const UseField<Real> &use) override;
  std::string describe() const override { return dct3_.describe() + "\n" + back_dct2_.describe(); }

private:
  using Base = UnfusedFourier<Real>;
  using Base::host_, Base::local_, Base::spectrum_, Base::tables_, Base::work_;
  using typename Base::Complex;
  using Forward = Plan<Real, Kind::r2c>;  ///< out of place; keeps its input
  using Backward = Plan<Real, Kind::c2r>; ///< in place

  void plan_transforms(const Parameters &p, Effort effort, Field<Real> &scratch);
  /// Computes the spectrum ("columns") of a field.
  void forward(Forward &plan, const Field<Real> &field, Field<Real> &columns) {
    plan.execute(field.real(), columns.spectrum());
  }
  /// Transforms the spectrum in work_ to a field in place and passes the field to `use`.
  void backward(Backward &plan, const UseField<Real> &use) {
    plan.execute(work_.spectrum(), work_.real());
    use(work_);
  }
  /// Computes quotient = u / r at staggered points, times the normalisation of the transforms.
  void divide_by_radius(const Field<Real> &u, Field<Real> &quotient) const;
  template <class F> void for_each_column_value(const F &f) const;
  Complex *columns_of(const Field<Real> &field) const {
    return reinterpret_cast<Complex *>(field.data());
  }

  Field<Real> more_columns_;
  Forward dct3_, dct4_, dst4_;
  Backward back_dct2_, back_dst4_;
  std::vector<Real> ky_, inverse_r_; ///< along y; ky_ includes the normalisation
};

} // namespace hybridfft::kspace
