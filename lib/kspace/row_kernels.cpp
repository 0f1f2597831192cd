#include "kspace/row_kernels.h"

#include <cstdlib> // __GLIBC__

// Each function is compiled for several instruction sets; the loader chooses. Sanitizers are not
// ready yet when it does.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#define HFFT_ALL_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define HFFT_ALL_VECTORS
#endif

namespace hybridfft::kspace::rows {

HFFT_ALL_VECTORS
void velocity(std::ptrdiff_t n, Profile m, Profile s, const float *b, const float *g, float *u) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const float damp = m.across * m.along[k];
    u[k] = damp * (damp * u[k] - b[k] * (s.across * s.along[k]) * g[k]);
  }
}

HFFT_ALL_VECTORS
void velocity_at_start(std::ptrdiff_t n, Profile s, const float *b, const float *g, float *u) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    u[k] = 0.5F * b[k] * (s.across * s.along[k]) * g[k];
}

HFFT_ALL_VECTORS
void density(std::ptrdiff_t n, Profile m, Profile s, float dt, const float *q, const float *g,
             float *rho) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const float damp = m.across * m.along[k];
    const float slope = s.across * s.along[k] * g[k];
    rho[k] = damp * (damp * rho[k] - dt * q[k] * slope);
  }
}

HFFT_ALL_VECTORS
void density_and_compression(std::ptrdiff_t n, Profile m, Profile s, float dt, const float *q,
                             const float *rho0, const float *g, bool first, float *rho,
                             float *sum) {
  if (first)
    for (std::ptrdiff_t k = 0; k < n; ++k)
      sum[k] = 0;
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const float damp = m.across * m.along[k];
    const float slope = s.across * s.along[k] * g[k];
    sum[k] += rho0[k] * slope;
    rho[k] = damp * (damp * rho[k] - dt * q[k] * slope);
  }
}

HFFT_ALL_VECTORS
void momentum_density(std::ptrdiff_t n, Densities rho, const float *rho0, float *q) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    q[k] = 2.0F * (rho.x[k] + rho.y[k] + rho.z[k]) + rho0[k];
}

HFFT_ALL_VECTORS
void total_density(std::ptrdiff_t n, Densities rho, float *sum) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    sum[k] = rho.x[k] + rho.y[k] + rho.z[k];
}

HFFT_ALL_VECTORS
void product(std::ptrdiff_t n, const float *a, const float *b, float *p) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k)
    p[k] = a[k] * b[k];
}

namespace {

/// Inlined into what is compiled for an instruction set.
template <bool nonlinear, bool factored, Rest rest>
__attribute__((always_inline)) inline void state(std::ptrdiff_t n, const float *c2, Densities rho,
                                                 const float *bona, const float *a, const float *b,
                                                 float *p) {
#pragma omp simd
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const float sum = rho.x[k] + rho.y[k] + rho.z[k];
    float total = sum;
    if constexpr (nonlinear) total += bona[k] * sum * sum;
    if constexpr (rest != Rest::none) {
      float product = b[k];
      if constexpr (factored) product *= a[k];
      total += rest == Rest::product ? product : p[k] - product;
    }
    p[k] = c2[k] * total;
  }
}

template <bool nonlinear>
__attribute__((always_inline)) inline void state_of(std::ptrdiff_t n, const float *c2,
                                                    Densities rho, const float *bona, Rest rest,
                                                    const float *a, const float *b, float *p) {
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
void state_equation(std::ptrdiff_t n, const float *c2, Densities rho, const float *nonlinear,
                    Rest rest, const float *a, const float *b, float *p) {
  if (nonlinear != nullptr)
    state_of<true>(n, c2, rho, nonlinear, rest, a, b, p);
  else
    state_of<false>(n, c2, rho, nonlinear, rest, a, b, p);
}

} // namespace hybridfft::kspace::rows
