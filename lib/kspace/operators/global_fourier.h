/// The operators of the time step by Fourier transforms of the whole grid.
#pragma once

#include <array>
#include <optional>

#include "kspace/base/parameters.h"
#include "kspace/medium/absorption.h"
#include "kspace/operators/transforms.h"
#include "kspace/operators/unfused_fourier.h"

namespace hybridfft::kspace {

/// One forward transform and one backward for each axis for a gradient, one and one for everything
/// else. Spectra are kept transposed, so each transform exchanges data once.
///
/// Memory: one work field and, half a field each, the table of kappa and those that the sources
/// and the absorption need. The gradient uses the memory of its argument as a second work field.
template <class Real> class GlobalFourier final : public FieldOperators<Real> {
public:
  /// Plans; overwrites `scratch` (a field sized for transforms) unless effort is estimate.
  /// Collective. Throws hybridfft::Error.
  /// \param multipliers for a power law's absorption; by default those of its exponent
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
  /// Transforms the field, multiplies by a table, transforms back.
  void filter(const Field<Real> &table, const Field<Real> &field, const UseField<Real> &use);

  Transforms<Real> transforms_;
  int dimensions_;
  Field<Real> kappa_;
  Field<Real> source_kappa_;              ///< factors of additive sources with the correction
  std::array<Field<Real>, 2> laplacians_; ///< factors of power-law absorption
  std::array<Factors<Real>, 3> ahead_, behind_, unstagger_;
};

} // namespace hybridfft::kspace
