/// The multipliers of the k-space method, in double precision.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace hybridfft::kspace {

/// Wave number in rad/m of bin i of a transform of n points with spacing d: 2 pi m / (n d). m is i
/// for the lower half of the bins and i - n for the upper half. The Nyquist bin of an even n is
/// negative.
double wavenumber(std::ptrdiff_t i, std::ptrdiff_t n, double d);

/// Squares of the wave numbers of all n bins.
std::vector<double> squared_wavenumbers(std::ptrdiff_t n, double d);

/// Direction of the half-cell shift of a derivative.
enum class Shift { forward, backward };

/// i k exp(+-i k d/2) for the first `bins` bins: the derivative, evaluated half a cell ahead of or
/// behind the points of its argument.
std::vector<std::complex<double>> staggered_derivative(std::ptrdiff_t bins, std::ptrdiff_t n,
                                                       double d, Shift shift);

/// exp(-i k d/2) for the first `bins` bins: a shift back by half a cell. The Nyquist bin of an even
/// n is 0, because its shifted wave vanishes at the grid points.
std::vector<std::complex<double>> half_shift(std::ptrdiff_t bins, std::ptrdiff_t n, double d);

/// The k-space correction sin(a)/a, 1 at a = 0, with a = c_ref |k| dt/2. It makes the leapfrog step
/// exact in a homogeneous medium of sound speed c_ref (Tabei, Mast and Waag, JASA 111 (2002) 53).
double kappa(double a);

/// The correction cos(a) of additive sources for the same scheme (Cox, Kara, Arridge and Beard,
/// JASA 121 (2007) 3453).
double source_kappa(double a);

} // namespace hybridfft::kspace
