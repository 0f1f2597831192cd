#include "solvers/lfb/weighted_rows.h"

#include <cstring>

#include "hybridfft/grid/all_vectors.hpp"
#include "solvers/lfb/wide_vector.h"

namespace hybridfft::lfb::rows {

namespace {

/// Terms of a weighted sum of rows.
template <class Real> struct Terms {
  Rows<Real> rows;
  const std::ptrdiff_t *columns;
  const Real *factors;
  std::ptrdiff_t count;

  const Real *row(std::ptrdiff_t t) const { return rows.first + columns[t] * rows.stride; }
};

/// Computes `vectors` vectors of the sum, starting at value `begin`.
template <int vectors, class Real>
[[gnu::always_inline]] inline void sum_block(const Terms<Real> &terms, Real *to,
                                             std::ptrdiff_t begin) {
  using Vector = typename WideVector<Real>::Type;
  Vector sum[vectors] = {};
  for (std::ptrdiff_t t = 0; t < terms.count; ++t) {
    const Real *row = terms.row(t) + begin;
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      Vector from;
      std::memcpy(&from, row + v * WideVector<Real>::values, sizeof(from));
      sum[v] += terms.factors[t] * from;
    }
  }
  std::memcpy(to + begin, sum, sizeof(sum));
}

template <class Real>
[[gnu::always_inline]] inline void sum_of(const Terms<Real> &terms, Real *to, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t values = WideVector<Real>::values;
  std::ptrdiff_t begin = 0;
  for (; begin + 4 * values <= n; begin += 4 * values)
    sum_block<4>(terms, to, begin);
  for (; begin + values <= n; begin += values)
    sum_block<1>(terms, to, begin);
  for (; begin < n; ++begin) {
    Real sum = 0;
    for (std::ptrdiff_t t = 0; t < terms.count; ++t)
      sum += terms.factors[t] * terms.row(t)[begin];
    to[begin] = sum;
  }
}

} // namespace

HFFT_ALL_VECTORS
void weighted_sum(const Rows<float> &rows, const std::ptrdiff_t *columns, const float *factors,
                  std::ptrdiff_t terms, float *to, std::ptrdiff_t n) {
  sum_of(Terms<float>{rows, columns, factors, terms}, to, n);
}

HFFT_ALL_VECTORS
void weighted_sum(const Rows<double> &rows, const std::ptrdiff_t *columns, const double *factors,
                  std::ptrdiff_t terms, double *to, std::ptrdiff_t n) {
  sum_of(Terms<double>{rows, columns, factors, terms}, to, n);
}

HFFT_ALL_VECTORS
float product(const float *a, const float *b, std::ptrdiff_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

HFFT_ALL_VECTORS
double product(const double *a, const double *b, std::ptrdiff_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

HFFT_ALL_VECTORS
void add(float factor, const float *from, float *to, std::ptrdiff_t n) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i)
    to[i] += factor * from[i];
}

HFFT_ALL_VECTORS
void add(double factor, const double *from, double *to, std::ptrdiff_t n) {
#pragma omp simd
  for (std::ptrdiff_t i = 0; i < n; ++i)
    to[i] += factor * from[i];
}

} // namespace hybridfft::lfb::rows
