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
template <class Real> class AxisymmetricFourier final : public FieldOperators<Real> {
public:
  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms. Collective.
  AxisymmetricFourier(const Parameters &parameters, const LocalGrid &local,
                      const grid::Communicator &comm, grid::Host host, Effort effort,
                      Field<Real> &scratch);

  void gradient(Field<Real> &p, const UseComponent<Real> &use) override;
  void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  void correct_source(Driven driven, const Field<Real> &source, const UseField<Real> &use) override;
  /// Axisymmetric grids do not support power-law absorption: these members throw std::logic_error.
  void fractional_laplacian(FractionalLaplacian order, const Field<Real> &field,
                            const UseField<Real> &use) override;
  void absorb(Real tau, Field<Real> &compression, Real eta, const Field<Real> &rho,
              const UseField<Real> &use) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override;

private:
  using Forward = Plan<Real, Kind::r2c>;  ///< out of place; keeps its input
  using Backward = Plan<Real, Kind::c2r>; ///< in place

  void plan_transforms(const Parameters &p, const grid::Communicator &comm, Effort effort,
                       Field<Real> &scratch);
  /// Computes the spectrum ("columns") of a field.
  void forward(Forward &plan, const Field<Real> &field, Field<Real> &columns) {
    plan.execute(field.real(), columns.spectrum());
  }
  /// Transforms a spectrum to a field in place and passes the field to `use`.
  void backward(Backward &plan, Field<Real> &columns, const UseField<Real> &use) {
    plan.execute(columns.spectrum(), columns.real());
    use(columns);
  }
  /// Computes quotient = u / r at staggered points, times the normalisation of the transforms.
  void divide_by_radius(const Field<Real> &u, Field<Real> &quotient) const;
  template <class F> void for_each_column_value(const F &f) const;
  Complex<Real> *columns_of(const Field<Real> &field) const {
    return reinterpret_cast<Complex<Real> *>(field.data());
  }

  LocalGrid local_;
  TransposedSpectrum spectrum_;
  grid::Host host_;
  Field<Real> columns_, more_columns_;
  Forward dct3_, dct4_, dst4_;
  Backward back_dct2_, back_dst4_;
  Field<Real> kappa_, source_kappa_;
  Factors<Real> ahead_, behind_;     ///< along x; include the normalisation of all transforms
  std::vector<Real> ky_, inverse_r_; ///< along y; ky_ includes the normalisation
  Transforms<Real> flat_;            ///< Fourier transforms along y, for unstagger()
  std::array<Factors<Real>, 2> unstagger_;
};

} // namespace hybridfft::kspace
