/// The multipliers of the k-space method, in double precision.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace hybridfft::kspace {

/// Wave number in rad/m of bin i of a transform of n points spaced by d: 2 pi m / (n d) with
/// m = i for the lower half of the bins and i - n for the upper; the Nyquist bin of an even n is
/// negative.
double wavenumber(std::ptrdiff_t i, std::ptrdiff_t n, double d);

/// Squares of the wave numbers of all n bins.
std::vector<double> squared_wavenumbers(std::ptrdiff_t n, double d);

/// Direction of the half-cell shift that goes with a derivative.
enum class Shift { forward, backward };

/// i k exp(+-i k d/2) for the first `bins` bins: the derivative, evaluated half a cell ahead of or
/// behind the points of its argument.
std::vector<std::complex<double>> staggered_derivative(std::ptrdiff_t bins, std::ptrdiff_t n,
                                                       double d, Shift shift);

/// exp(-i k d/2) for the first `bins` bins: half a cell back. The Nyquist bin of an even n is 0:
/// its wave, shifted by half a cell, vanishes at the points of the grid.
std::vector<std::complex<double>> half_shift(std::ptrdiff_t bins, std::ptrdiff_t n, double d);

/// The k-space correction sin(a)/a, 1 at a = 0, with a = c_ref |k| dt/2: it makes the leapfrog step
/// exact in a homogeneous medium of sound speed c_ref (Tabei, Mast and Waag, JASA 111 (2002) 53).
double kappa(double a);

/// The correction of additive sources, cos(a), that goes with it (Cox, Kara, Arridge and Beard,
/// JASA 121 (2007) 3453).
double source_kappa(double a);

} // namespace hybridfft::kspace
