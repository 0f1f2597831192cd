/// The element-wise equations of a time step on one row of n points, for the widest vectors of the
/// processor. Rows of one call do not overlap unless they are the same.
#pragma once

#include <cstddef>

#include "kspace/base/real.h"

namespace hybridfft::kspace::rows {

/// A product of a number of the row and one of each point.
template <class Real> struct Profile {
  Real across;
  const Real *along;
};

/// u <- m (m u - b s g): m the PML, b = dt/rho0, s the grid metric, g the gradient.
template <class Real>
void velocity(std::ptrdiff_t n, Profile<Real> m, Profile<Real> s, const Real *b, const Real *g,
              Real *u);

/// u <- b s g / 2: half a time step before a field at rest.
template <class Real>
void velocity_at_start(std::ptrdiff_t n, Profile<Real> s, const Real *b, const Real *g, Real *u);

/// rho <- m (m rho - dt q s g).
template <class Real>
void density(std::ptrdiff_t n, Profile<Real> m, Profile<Real> s, Real dt, const Real *q,
             const Real *g, Real *rho);

/// The same, and sum <- rho0 s g, or sum + rho0 s g unless `first`.
template <class Real>
void density_and_compression(std::ptrdiff_t n, Profile<Real> m, Profile<Real> s, Real dt,
                             const Real *q, const Real *rho0, const Real *g, bool first, Real *rho,
                             Real *sum);

/// The densities of all directions, and rows of zeros for those that are not there.
template <class Real> struct Densities { const Real *x, *y, *z; };

/// q <- 2 (x + y + z) + rho0.
template <class Real>
void momentum_density(std::ptrdiff_t n, Densities<Real> rho, const Real *rho0, Real *q);

/// sum <- x + y + z.
template <class Real> void total_density(std::ptrdiff_t n, Densities<Real> rho, Real *sum);

/// The term that the state equation adds: a b of each point, or what p holds minus a b, or nothing.
enum class Rest { none, product, held_minus_product };

/// p <- c0^2 (rho + nonlinear rho^2 + rest), rho = x + y + z; `nonlinear` is nullptr in a linear
/// medium, and `a` for a factor of one.
template <class Real>
void state_equation(std::ptrdiff_t n, const Real *c2, Densities<Real> rho, const Real *nonlinear,
                    Rest rest, const Real *a, const Real *b, Real *p);

/// p <- a b.
template <class Real> void product(std::ptrdiff_t n, const Real *a, const Real *b, Real *p);

} // namespace hybridfft::kspace::rows
