/// The operators of the time step, each on whole fields.
#pragma once

#include <functional>
#include <string>

#include "kspace/base/field.h"
#include "kspace/operators/derivative.h"

namespace hybridfft::kspace {

/// The fractional Laplacians of power-law absorption (see absorption.h).
enum class FractionalLaplacian { absorption, dispersion };

/// Use of the component of a gradient along an axis.
template <class Real>
using UseComponent = std::function<void(int axis, const Field<Real> &component)>;

/// Staggered first derivatives with the k-space correction, axis 0, 1, 2 = x, y, z, and filters.
/// All are collective. Results lie in work space that is valid during `use` only; `use` may change
/// other fields.
template <class Real> class FieldOperators {
public:
  virtual ~FieldOperators() = default;

  /// Calls `use` for each axis in turn with d p / d axis, half a cell ahead of the points of p.
  /// Overwrites p.
  virtual void gradient(Field<Real> &p, const UseComponent<Real> &use) = 0;
  /// d u / d axis, half a cell behind the points of u (in axisymmetric grids, with the term u/r of
  /// the radial component). Keeps u.
  virtual void divergence_term(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// The k-space correction of an additive source, cos(c_ref k dt/2). Keeps the source.
  virtual void correct_source(Driven driven, const Field<Real> &source,
                              const UseField<Real> &use) = 0;
  /// Keeps the field.
  virtual void fractional_laplacian(FractionalLaplacian order, const Field<Real> &field,
                                    const UseField<Real> &use) = 0;
  /// tau L_tau(compression) - eta L_eta(rho) for factors that are the same everywhere: one
  /// transform less than two fractional Laplacians. Overwrites the compression, keeps rho.
  virtual void absorb(Real tau, Field<Real> &compression, Real eta, const Field<Real> &rho,
                      const UseField<Real> &use) = 0;
  /// A component of the velocity at the points of the pressure, half a cell behind. Keeps u.
  virtual void unstagger(int axis, const Field<Real> &u, const UseField<Real> &use) = 0;
  /// Description of its plans.
  virtual std::string describe() const = 0;
};

} // namespace hybridfft::kspace
