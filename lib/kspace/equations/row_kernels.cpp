#include "kspace/equations/row_kernels.h"

#include "hybridfft/grid/all_vectors.hpp"
#include "kspace/equations/point_equations.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::rows {

namespace {

/// Asks memory for the rows of fields that come a few rows after these, and may be beyond their
/// ends: it answers while lines are transformed.
template <class... Rows> void fetch_ahead(std::ptrdiff_t n, const Rows *...rows) {
  constexpr std::ptrdiff_t line = 64 / static_cast<std::ptrdiff_t>(sizeof(Real));
  constexpr std::ptrdiff_t rows_ahead = 4;
  constexpr int second_level = 2;
  for (std::ptrdiff_t k = rows_ahead * n; k < (rows_ahead + 1) * n; k += line)
    (__builtin_prefetch(rows + k, 0, second_level), ...);
}

} // namespace

HFFT_ALL_VECTORS
void velocity(std::ptrdiff_t n, Profile m, Profile s, const Real *b, const Real *g, Real *u) {
  fetch_ahead(n, b, u);
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    u[k] = points::velocity(m.across * m.along[k], b[k], s.across * s.along[k], g[k], u[k]);
  }
}

HFFT_ALL_VECTORS
void velocity_at_start(std::ptrdiff_t n, Profile s, const Real *b, const Real *g, Real *u) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    u[k] = points::velocity_at_start(b[k], s.across * s.along[k], g[k]);
}

HFFT_ALL_VECTORS
void density(std::ptrdiff_t n, Profile m, Profile s, Real dt, const Real *q, const Real *g,
             Real *rho) {
  fetch_ahead(n, rho);
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const Real slope = s.across * s.along[k] * g[k];
    rho[k] = points::density(m.across * m.along[k], dt, q[k], slope, rho[k]);
  }
}

HFFT_ALL_VECTORS
void density_and_compression(std::ptrdiff_t n, Profile m, Profile s, Real dt, const Real *q,
                             const Real *rho0, const Real *g, bool first, Real *rho, Real *sum) {
  fetch_ahead(n, rho);
  if (first)
    for (std::ptrdiff_t k = 0; k < n; ++k)
      sum[k] = 0;
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const Real slope = s.across * s.along[k] * g[k];
    sum[k] += rho0[k] * slope;
    rho[k] = points::density(m.across * m.along[k], dt, q[k], slope, rho[k]);
  }
}

HFFT_ALL_VECTORS
void momentum_density(std::ptrdiff_t n, Densities rho, const Real *rho0, Real *q) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    q[k] = points::momentum_density(rho.x[k] + rho.y[k] + rho.z[k], rho0[k]);
}

HFFT_ALL_VECTORS
void total_density(std::ptrdiff_t n, Densities rho, Real *sum) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    sum[k] = rho.x[k] + rho.y[k] + rho.z[k];
}

HFFT_ALL_VECTORS
void product(std::ptrdiff_t n, const Real *a, const Real *b, Real *p) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    p[k] = a[k] * b[k];
}

namespace {

/// Inlined into functions that are compiled for an instruction set.
template <bool nonlinear, bool factored, Rest rest>
__attribute__((always_inline)) inline void state(std::ptrdiff_t n, const Real *c2, Densities rho,
                                                 const Real *bona, const Real *a, const Real *b,
                                                 Real *p) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const Real sum = rho.x[k] + rho.y[k] + rho.z[k];
    Real total = sum;
    if constexpr (nonlinear) total = points::nonlinear_density(sum, bona[k]);
    if constexpr (rest != Rest::none) {
      Real product = b[k];
      if constexpr (factored) product *= a[k];
      total += rest == Rest::product ? product : p[k] - product;
    }
    p[k] = c2[k] * total;
  }
}

template <bool nonlinear>
__attribute__((always_inline)) inline void state_of(std::ptrdiff_t n, const Real *c2, Densities rho,
                                                    const Real *bona, Rest rest, const Real *a,
                                                    const Real *b, Real *p) {
  if (rest == Rest::none)
    state<nonlinear, false, Rest::none>(n, c2, rho, bona, a, b, p);
  else if (rest == Rest::held_minus_product)
    state<nonlinear, true, Rest::held_minus_product>(n, c2, rho, bona, a, b, p);
  else if (a != nullptr)
    state<nonlinear, true, Rest::product>(n, c2, rho, bona, a, b, p);
  else
    state<nonlinear, false, Rest::product>(n, c2, rho, bona, a, b, p);
}

} // namespace

HFFT_ALL_VECTORS
void state_equation(std::ptrdiff_t n, const Real *c2, Densities rho, const Real *nonlinear,
                    Rest rest, const Real *a, const Real *b, Real *p) {
  if (nonlinear != nullptr)
    state_of<true>(n, c2, rho, nonlinear, rest, a, b, p);
  else
    state_of<false>(n, c2, rho, nonlinear, rest, a, b, p);
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION::rows
