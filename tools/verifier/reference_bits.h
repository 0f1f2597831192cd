/// Expected bits of deterministic transforms, which do not depend on the number of ranks.
#pragma once

#include <complex>
#include <vector>

#include "verifier/field.h"
#include "verifier/layout_problem.h"

namespace hybridfft::verifier {

/// Runs the library on one rank with one thread, on arrays without padding in row-major order with
/// interleaved components. Returns all values of the output in the same order.
/// \throws hybridfft::Error
std::vector<std::complex<double>> bits_of_one_rank(const LayoutProblem &problem,
                                                   const Field &field);

/// Position of (index, component) in the result of bits_of_one_rank().
std::size_t position_of_bits(const LayoutProblem &problem, const Index &index,
                             std::ptrdiff_t component);

/// True if all bits are equal, including the sign of zero.
bool same_bits(std::complex<double> a, std::complex<double> b);

} // namespace hybridfft::verifier
