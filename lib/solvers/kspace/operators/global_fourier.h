/// Spectral operators of the time step by distributed FFTs of the whole grid. Used for grids
/// without fused kernels.
#pragma once

#include <array>
#include <optional>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/transforms.h"
#include "solvers/kspace/operators/unfused_fourier.h"

namespace hybridfft::kspace {

/// A gradient needs one forward FFT and one backward FFT per axis; each other operator needs one of
/// each. Spectra stay transposed, so each FFT has a single exchange.
///
/// Memory is one work field, and half a field for each table (kappa, source correction,
/// absorption). The gradient uses its argument as a second work field.
template <class Real> class GlobalFourier final : public FieldOperators<Real> {
public:
  /// Plans the transforms. Overwrites `scratch`, a field with room for transforms, unless effort is
  /// estimate. Collective. Throws hybridfft::Error.
  /// \param multipliers of power-law absorption; by default from the exponent
  GlobalFourier(const Parameters &parameters, const LocalGrid &local,
                const grid::Communicator &comm, grid::Host host, Effort effort,
                Field<Real> &scratch, const LaplacianMultipliers &multipliers = {});

  void gradient(Field<Real> &p, const UseComponent<Real> &use) override;
  void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  void correct_source(Driven driven, const Field<Real> &source, const UseField<Real> &use) override;
  void fractional_laplacian(FractionalLaplacian order, const Field<Real> &field,
                            const UseField<Real> &use) override;
  void absorb(Real tau, Field<Real> &compression, Real eta, const Field<Real> &rho,
              const UseField<Real> &use) override;
  void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) override;
  std::string describe() const override { return transforms_.describe(); }

private:
  void make_tables(const Parameters &parameters, const LaplacianMultipliers &multipliers);
  /// Transforms a field, multiplies its spectrum by a table, and transforms it back.
  void filter(const Field<Real> &table, const Field<Real> &field, const UseField<Real> &use);

  Transforms<Real> transforms_;
  int dimensions_;
  Field<Real> kappa_;
  Field<Real> source_kappa_; ///< k-space correction of additive sources, one factor per bin
  std::array<Field<Real>, 2> laplacians_; ///< multipliers of power-law absorption, one per bin
  std::array<Factors<Real>, 3> ahead_, behind_, unstagger_;
};

} // namespace hybridfft::kspace
