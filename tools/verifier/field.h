/// Test data as functions of the global index, independent of the distribution.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "verifier/box.h"
#include "verifier/problem.h"

namespace hybridfft::verifier {

/// Returns a component's value at a logical index of the full array. In r2c problems, values are
/// real. In c2r problems, they have the symmetry of a real array's spectrum, f(-k) = conj f(k).
using Field = std::function<std::complex<double>(const Index &, std::ptrdiff_t component)>;

/// Pseudo-random values with parts in [-1/2, 1/2), exact in single precision.
Field random_field(const Problem &problem, std::uint64_t seed);

/// The roots exp(sign 2 pi i k / n) for k = 0 .. n-1.
std::vector<std::complex<long double>> roots_of_unity(std::ptrdiff_t n, int sign);

/// The plane wave exp(sign 2 pi i sum_a k_a j_a / n_a) as a function of the point j. Each k_a j_a
/// is reduced modulo n_a in integers, so large products lose no accuracy.
class PlaneWave {
public:
  PlaneWave(const Problem &problem, int sign, const Index &k);
  std::complex<double> operator()(const Index &j) const;

private:
  std::vector<std::vector<std::complex<long double>>> factors_; ///< for each axis
};

/// Returns index + by, modulo the extents.
Index shifted(const Problem &problem, const Index &index, const Index &by);
/// Returns -index, modulo the extents.
Index mirrored(const Problem &problem, const Index &index);

/// Row-major position of (index, component) in the full array; components are fastest.
std::size_t position(const Problem &problem, const Index &index, std::ptrdiff_t component);

/// A pseudo-random point of the array.
Index random_point(const Problem &problem, std::uint64_t seed);

} // namespace hybridfft::verifier
