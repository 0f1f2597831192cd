/// How large a time step may be.
#pragma once

#include "kspace/parameters.h"

namespace hybridfft::kspace {

/// Largest stable time step in s, infinity when every step is stable.
///
/// In a homogeneous medium of sound speed c the step is a leapfrog in each wave number k:
///   p[n+1] - 2 p[n] + p[n-1] = -4 s(k)^2 p[n],   s(k) = (c/c_ref) sin(c_ref k dt/2),
/// (kappa turns c k dt/2 into that sine), which is bounded if and only if |s(k)| <= 1. For
/// c <= c_ref this holds for every dt. For c > c_ref it holds up to the largest wave number of the
/// grid, k_max = pi sqrt(1/dx^2 + 1/dy^2 + 1/dz^2), while
///   dt <= 2 asin(c_ref/c) / (c_ref k_max).
/// In a heterogeneous medium, with c the largest sound speed, it is a good guide, not a proof.
double largest_stable_step(double c_ref, double max_speed, const Parameters &grid);

/// k_max: the wave number of the corner of the spectrum, in rad/m.
double largest_wavenumber(const Parameters &grid);

} // namespace hybridfft::kspace
