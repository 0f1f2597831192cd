/// Vector kernels for griddings: weighted sums of rows, inner products and scaled additions.
/// Compiled for each vector instruction set; the processor's widest one is chosen at run time.
#pragma once

#include <cstddef>

namespace hybridfft::lfb::rows {

/// Rows in memory, `stride` values apart.
template <class Real> struct Rows {
  const Real *first;
  std::ptrdiff_t stride;
};

/// Computes to = sum over t of factors[t] times row columns[t], in the order of t, for rows of n
/// values.
void weighted_sum(const Rows<float> &rows, const std::ptrdiff_t *columns, const float *factors,
                  std::ptrdiff_t terms, float *to, std::ptrdiff_t n);
void weighted_sum(const Rows<double> &rows, const std::ptrdiff_t *columns, const double *factors,
                  std::ptrdiff_t terms, double *to, std::ptrdiff_t n);

/// Return the inner product of a and b.
float product(const float *a, const float *b, std::ptrdiff_t n);
double product(const double *a, const double *b, std::ptrdiff_t n);

/// Add factor * from[i] to to[i].
void add(float factor, const float *from, float *to, std::ptrdiff_t n);
void add(double factor, const double *from, double *to, std::ptrdiff_t n);

} // namespace hybridfft::lfb::rows
