#include "solvers/kspace/base/row_checks.h"

#include <limits>

#include "hybridfft/grid/all_vectors.hpp"

namespace hybridfft::kspace::rows {

template <class Real>
HFFT_ALL_VECTORS bool all_between(std::ptrdiff_t n, const Real *v, Real low, Real high) {
  int outside = 0;
#pragma omp simd reduction(| : outside)
  for (std::ptrdiff_t k = 0; k < n; ++k)
    outside |= v[k] >= low && v[k] <= high ? 0 : 1;
  return outside == 0;
}

template <class Real> bool all_finite(std::ptrdiff_t n, const Real *v) {
  using Limits = std::numeric_limits<Real>;
  return all_between(n, v, Limits::lowest(), Limits::max());
}

template <class Real> HFFT_ALL_VECTORS Real largest(std::ptrdiff_t n, const Real *v) {
  Real most = std::numeric_limits<Real>::lowest();
#pragma omp simd reduction(max : most)
  for (std::ptrdiff_t k = 0; k < n; ++k)
    most = v[k] > most ? v[k] : most;
  return most;
}

template bool all_between(std::ptrdiff_t n, const float *v, float low, float high);
template bool all_between(std::ptrdiff_t n, const double *v, double low, double high);
template bool all_finite(std::ptrdiff_t n, const float *v);
template bool all_finite(std::ptrdiff_t n, const double *v);
template float largest(std::ptrdiff_t n, const float *v);
template double largest(std::ptrdiff_t n, const double *v);

} // namespace hybridfft::kspace::rows
