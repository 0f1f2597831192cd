/// The bits that a deterministic transform has everywhere.
#pragma once

#include <complex>
#include <vector>

#include "verifier/field.h"
#include "verifier/layout_problem.h"

namespace hybridfft::verifier {

/// The result of the library itself on one rank with one thread, between arrays in logical order
/// without padding, howmany interleaved: all values of the output, row-major, components fastest.
/// Throws hybridfft::Error.
std::vector<std::complex<double>> bits_of_one_rank(const LayoutProblem &problem,
                                                   const Field &field);

/// Position of (index, component) in them.
std::size_t position_of_bits(const LayoutProblem &problem, const Index &index,
                             std::ptrdiff_t component);

/// Equal in every bit, the sign of zero included.
bool same_bits(std::complex<double> a, std::complex<double> b);

} // namespace hybridfft::verifier
