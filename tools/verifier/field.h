/// Test data as functions of the global index.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>

#include "verifier/box.h"
#include "verifier/problem.h"

namespace hybridfft::verifier {

/// The value of a component at a logical index of the full array. For r2c it is real; for c2r it
/// has the symmetry of a real array's spectrum, f(-k) = conj f(k).
using Field = std::function<std::complex<double>(const Index &, std::ptrdiff_t component)>;

/// Pseudo-random values with parts in [-1/2, 1/2), exact in single precision.
Field random_field(const Problem &problem, std::uint64_t seed);

/// The phase factor exp(sign 2 pi i sum_a k_a j_a / n_a), from exactly reduced arguments.
std::complex<double> phase(const Problem &problem, int sign, const Index &k, const Index &j);

/// index + by, modulo the extents.
Index shifted(const Problem &problem, const Index &index, const Index &by);
/// -index, modulo the extents.
Index mirrored(const Problem &problem, const Index &index);

/// Row-major position of (index, component) in the full array, components fastest.
std::size_t position(const Problem &problem, const Index &index, std::ptrdiff_t component);

/// A pseudo-random point of the array.
Index random_point(const Problem &problem, std::uint64_t seed);

} // namespace hybridfft::verifier
