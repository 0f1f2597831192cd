/// The operators of the time step, each on whole fields.
#pragma once

#include <functional>
#include <string>

#include "kspace/base/field.h"
#include "kspace/operators/derivative.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// The fractional Laplacians of power-law absorption (see absorption.h).
enum class FractionalLaplacian { absorption, dispersion };

/// Staggered first derivatives with the k-space correction, axis 0, 1, 2 = x, y, z, and filters.
/// All are collective. Results lie in work space that is valid during `use` only; `use` may change
/// other fields.
class FieldOperators {
public:
  virtual ~FieldOperators() = default;

  using UseComponent = std::function<void(int axis, const Field &component)>;
  using Use = std::function<void(const Field &result)>;

  /// Calls `use` for each axis in turn with d p / d axis, half a cell ahead of the points of p.
  /// Overwrites p.
  virtual void gradient(Field &p, const UseComponent &use) = 0;
  /// d u / d axis, half a cell behind the points of u (in axisymmetric grids, with the term u/r of
  /// the radial component). Keeps u.
  virtual void divergence_term(int axis, const Field &u, const Use &use) = 0;
  /// The k-space correction of an additive source, cos(c_ref k dt/2). Keeps the source.
  virtual void correct_source(Driven driven, const Field &source, const Use &use) = 0;
  /// Keeps the field.
  virtual void fractional_laplacian(FractionalLaplacian order, const Field &field,
                                    const Use &use) = 0;
  /// tau L_tau(compression) - eta L_eta(rho) for factors that are the same everywhere: one
  /// transform less than two fractional Laplacians. Overwrites the compression, keeps rho.
  virtual void absorb(Real tau, Field &compression, Real eta, const Field &rho, const Use &use) = 0;
  /// A component of the velocity at the points of the pressure, half a cell behind. Keeps u.
  virtual void unstagger(int axis, const Field &u, const Use &use) = 0;
  /// Description of its plans.
  virtual std::string describe() const = 0;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
