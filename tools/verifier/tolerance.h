/// Upper bound of the rounding error of a transform.
#pragma once

#include <algorithm>
#include <cmath>

#include "verifier/problem.h"

namespace hybridfft::verifier {

/// Bound on |computed - exact|_2 / |exact|_2 for one transform with machine epsilon eps.
///
/// A Cooley-Tukey FFT of N points has an error of at most log2(N) eta / (1 - log2(N) eta) with eta
/// = mu + gamma_4 (sqrt(2) + mu) (Higham, Accuracy and Stability of Numerical Algorithms, theorem
/// 24.2). mu is the maximum error of a twiddle factor, and gamma_4 = 4 u / (1 - 4 u) with the unit
/// roundoff u = eps/2. For mu = u the bound is below 3.4 eps log2(N), rounded up to 4 eps log2(N).
/// Transforms with large prime factors use convolutions (Rader, Bluestein): two transforms of up to
/// four times the length and a product. A factor of three covers their error. log2(2N) instead of
/// log2(N) keeps the bound positive for N = 1, and covers the rounding of the input.
inline double transform_tolerance(const Problem &problem, double eps) {
  double points = 2;
  for (const std::ptrdiff_t n : problem.extents)
    points *= static_cast<double>(n);
  return 12 * eps * std::log2(points);
}

} // namespace hybridfft::verifier
