#include "kspace/equations/row_kernels.h"

#include "hybridfft/grid/all_vectors.hpp"
#include "kspace/equations/point_equations.h"

namespace hybridfft::kspace::rows {

namespace {

/// Asks memory for the rows of fields that come a few rows after these, and may be beyond their
/// ends: it answers while lines are transformed.
template <class Real, class... Rows> void fetch_ahead(std::ptrdiff_t n, const Rows *...rows) {
  constexpr std::ptrdiff_t line = 64 / static_cast<std::ptrdiff_t>(sizeof(Real));
  constexpr std::ptrdiff_t rows_ahead = 4;
  constexpr int second_level = 2;
  for (std::ptrdiff_t k = rows_ahead * n; k < (rows_ahead + 1) * n; k += line)
    (__builtin_prefetch(rows + k, 0, second_level), ...);
}

} // namespace

template <class Real>
HFFT_ALL_VECTORS void velocity(std::ptrdiff_t n, Profile<Real> m, Profile<Real> s, const Real *b,
                               const Real *g, Real *u) {
  fetch_ahead<Real>(n, b, u);
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    u[k] = points::velocity(m.across * m.along[k], b[k], s.across * s.along[k], g[k], u[k]);
  }
}

template <class Real>
HFFT_ALL_VECTORS void velocity_at_start(std::ptrdiff_t n, Profile<Real> s, const Real *b,
                                        const Real *g, Real *u) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    u[k] = points::velocity_at_start(b[k], s.across * s.along[k], g[k]);
}

template <class Real>
HFFT_ALL_VECTORS void density(std::ptrdiff_t n, Profile<Real> m, Profile<Real> s, Real dt,
                              const Real *q, const Real *g, Real *rho) {
  fetch_ahead<Real>(n, rho);
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const Real slope = s.across * s.along[k] * g[k];
    rho[k] = points::density(m.across * m.along[k], dt, q[k], slope, rho[k]);
  }
}

template <class Real>
HFFT_ALL_VECTORS void density_and_compression(std::ptrdiff_t n, Profile<Real> m, Profile<Real> s,
                                              Real dt, const Real *q, const Real *rho0,
                                              const Real *g, bool first, Real *rho, Real *sum) {
  fetch_ahead<Real>(n, rho);
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

template <class Real>
HFFT_ALL_VECTORS void momentum_density(std::ptrdiff_t n, Densities<Real> rho, const Real *rho0,
                                       Real *q) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    q[k] = points::momentum_density(rho.x[k] + rho.y[k] + rho.z[k], rho0[k]);
}

template <class Real>
HFFT_ALL_VECTORS void total_density(std::ptrdiff_t n, Densities<Real> rho, Real *sum) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    sum[k] = rho.x[k] + rho.y[k] + rho.z[k];
}

template <class Real>
HFFT_ALL_VECTORS void product(std::ptrdiff_t n, const Real *a, const Real *b, Real *p) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    p[k] = a[k] * b[k];
}

namespace {

/// Inlined into functions that are compiled for an instruction set.
template <bool nonlinear, bool factored, Rest rest, class Real>
__attribute__((always_inline)) inline void state(std::ptrdiff_t n, const Real *c2,
                                                 Densities<Real> rho, const Real *bona,
                                                 const Real *a, const Real *b, Real *p) {
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

template <bool nonlinear, class Real>
__attribute__((always_inline)) inline void
state_of(std::ptrdiff_t n, const Real *c2, Densities<Real> rho, const Real *bona, Rest rest,
         const Real *a, const Real *b, Real *p) {
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

template <class Real>
HFFT_ALL_VECTORS void state_equation(std::ptrdiff_t n, const Real *c2, Densities<Real> rho,
                                     const Real *nonlinear, Rest rest, const Real *a, const Real *b,
                                     Real *p) {
  if (nonlinear != nullptr)
    state_of<true>(n, c2, rho, nonlinear, rest, a, b, p);
  else
    state_of<false>(n, c2, rho, nonlinear, rest, a, b, p);
}

template void velocity(std::ptrdiff_t n, Profile<float> m, Profile<float> s, const float *b,
                       const float *g, float *u);
template void velocity(std::ptrdiff_t n, Profile<double> m, Profile<double> s, const double *b,
                       const double *g, double *u);
template void velocity_at_start(std::ptrdiff_t n, Profile<float> s, const float *b, const float *g,
                                float *u);
template void velocity_at_start(std::ptrdiff_t n, Profile<double> s, const double *b,
                                const double *g, double *u);
template void density(std::ptrdiff_t n, Profile<float> m, Profile<float> s, float dt,
                      const float *q, const float *g, float *rho);
template void density(std::ptrdiff_t n, Profile<double> m, Profile<double> s, double dt,
                      const double *q, const double *g, double *rho);
template void density_and_compression(std::ptrdiff_t n, Profile<float> m, Profile<float> s,
                                      float dt, const float *q, const float *rho0, const float *g,
                                      bool first, float *rho, float *sum);
template void density_and_compression(std::ptrdiff_t n, Profile<double> m, Profile<double> s,
                                      double dt, const double *q, const double *rho0,
                                      const double *g, bool first, double *rho, double *sum);
template void momentum_density(std::ptrdiff_t n, Densities<float> rho, const float *rho0, float *q);
template void momentum_density(std::ptrdiff_t n, Densities<double> rho, const double *rho0,
                               double *q);
template void total_density(std::ptrdiff_t n, Densities<float> rho, float *sum);
template void total_density(std::ptrdiff_t n, Densities<double> rho, double *sum);
template void product(std::ptrdiff_t n, const float *a, const float *b, float *p);
template void product(std::ptrdiff_t n, const double *a, const double *b, double *p);
template void state_equation(std::ptrdiff_t n, const float *c2, Densities<float> rho,
                             const float *nonlinear, Rest rest, const float *a, const float *b,
                             float *p);
template void state_equation(std::ptrdiff_t n, const double *c2, Densities<double> rho,
                             const double *nonlinear, Rest rest, const double *a, const double *b,
                             double *p);

} // namespace hybridfft::kspace::rows
