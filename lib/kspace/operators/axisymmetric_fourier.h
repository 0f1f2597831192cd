/// The operators of the time step on an axisymmetric grid.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kspace/base/parameters.h"
#include "kspace/operators/field_operators.h"
#include "kspace/operators/line_transforms.h"
#include "kspace/operators/transforms.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// x is the axis; grid point j of y is at the radius j dy, staggered ones at (j + 1/2) dy. Along y
/// fields are sums of cosines (pressure, axial velocity) or sines (radial velocity) of
/// ky_j = pi (j + 1/2)/(Ny dy): symmetric about the axis, zero at the outer end (Treeby, Wise,
/// Kuklis, Jaros and Cox, JASA 148 (2020) 2288, with the transforms DCT-III, DCT-II, DCT-IV and
/// DST-IV); along x they are Fourier series.
///
/// Each transform takes the rows along x, redistributes them, and takes the columns along y.
/// Rows are [y][kx], cut along y; columns are TransposedSpectrum's, [kx][y], cut along kx.
class AxisymmetricFourier final : public FieldOperators {
public:
  /// Plans; overwrites `scratch` (a field sized for transforms). Collective.
  AxisymmetricFourier(const Parameters &parameters, const LocalGrid &local,
                      const grid::Communicator &comm, grid::Host host, Effort effort,
                      Field &scratch);

  void gradient(Field &p, const UseComponent &use) override;
  void divergence_term(int axis, const Field &u, const Use &use) override;
  void correct_source(Driven driven, const Field &source, const Use &use) override;
  /// Power-law absorption is not defined here: these throw std::logic_error.
  void fractional_laplacian(FractionalLaplacian order, const Field &field, const Use &use) override;
  void absorb(Real tau, Field &compression, Real eta, const Field &rho, const Use &use) override;
  void unstagger(int axis, const Field &u, const Use &use) override;
  std::string describe() const override;

private:
  void plan_redistributions(const Parameters &p, const grid::Communicator &comm, Effort effort);
  /// columns_ = transforms of the rows of a field.
  void rows_to_columns(const Field &field);
  /// work_ = field whose rows have the transforms columns_.
  void columns_to_rows(const Use &use);
  void transform_columns(LineTransforms::Kind kind, Field &columns);
  template <class F> void for_each_column_value(const F &f) const;
  Complex *columns_of(const Field &field) const {
    return reinterpret_cast<Complex *>(field.data());
  }

  LocalGrid local_;
  TransposedSpectrum spectrum_;
  grid::Host host_;
  Field work_, columns_, more_columns_;
  Plan<Real, Kind::c2c> to_columns_, to_rows_; ///< redistributions between work_ and columns_
  std::optional<LineTransforms> lines_;
  Field kappa_, source_kappa_;
  Factors ahead_, behind_;           ///< along x, with the normalisation of all transforms
  std::vector<Real> ky_, inverse_r_; ///< along y; the former with that normalisation
  Transforms flat_;                  ///< Fourier transforms along y, to unstagger with
  std::array<Factors, 2> unstagger_;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
