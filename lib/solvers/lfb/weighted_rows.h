/// Weighted sums of rows, compiled for the widest vectors of the processor.
#pragma once

#include <cstddef>

namespace hybridfft::lfb::rows {

/// Rows at a distance of `stride` values.
template <class Real> struct Rows {
  const Real *first;
  std::ptrdiff_t stride;
};

/// Sets to = sum over t of factors[t] x row columns[t], in the order of t, for rows of n values.
void weighted_sum(const Rows<float> &rows, const std::ptrdiff_t *columns, const float *factors,
                  std::ptrdiff_t terms, float *to, std::ptrdiff_t n);
void weighted_sum(const Rows<double> &rows, const std::ptrdiff_t *columns, const double *factors,
                  std::ptrdiff_t terms, double *to, std::ptrdiff_t n);

/// Returns the sum of a[i] b[i].
float product(const float *a, const float *b, std::ptrdiff_t n);
double product(const double *a, const double *b, std::ptrdiff_t n);

/// Adds factor x from to `to`.
void add(float factor, const float *from, float *to, std::ptrdiff_t n);
void add(double factor, const double *from, double *to, std::ptrdiff_t n);

} // namespace hybridfft::lfb::rows
