/// The element-wise equations of a time step on one row of n points, for the widest vectors of the
/// processor. Rows of one call do not overlap unless they are the same.
#pragma once

#include <cstddef>

#include "kspace/base/real.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::rows {

/// A product of a number of the row and one of each point.
struct Profile {
  Real across;
  const Real *along;
};

/// u <- m (m u - b s g): m the PML, b = dt/rho0, s the grid metric, g the gradient.
void velocity(std::ptrdiff_t n, Profile m, Profile s, const Real *b, const Real *g, Real *u);

/// u <- b s g / 2: half a time step before a field at rest.
void velocity_at_start(std::ptrdiff_t n, Profile s, const Real *b, const Real *g, Real *u);

/// rho <- m (m rho - dt q s g).
void density(std::ptrdiff_t n, Profile m, Profile s, Real dt, const Real *q, const Real *g,
             Real *rho);

/// The same, and sum <- rho0 s g, or sum + rho0 s g unless `first`.
void density_and_compression(std::ptrdiff_t n, Profile m, Profile s, Real dt, const Real *q,
                             const Real *rho0, const Real *g, bool first, Real *rho, Real *sum);

/// The densities of all directions, and rows of zeros for those that are not there.
struct Densities {
  const Real *x, *y, *z;
};

/// q <- 2 (x + y + z) + rho0.
void momentum_density(std::ptrdiff_t n, Densities rho, const Real *rho0, Real *q);

/// sum <- x + y + z.
void total_density(std::ptrdiff_t n, Densities rho, Real *sum);

/// The term that the state equation adds: a b of each point, or what p holds minus a b, or nothing.
enum class Rest { none, product, held_minus_product };

/// p <- c0^2 (rho + nonlinear rho^2 + rest), rho = x + y + z; `nonlinear` is nullptr in a linear
/// medium, and `a` for a factor of one.
void state_equation(std::ptrdiff_t n, const Real *c2, Densities rho, const Real *nonlinear,
                    Rest rest, const Real *a, const Real *b, Real *p);

/// p <- a b.
void product(std::ptrdiff_t n, const Real *a, const Real *b, Real *p);

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::rows
