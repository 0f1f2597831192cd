/// How large a time step may be.
#pragma once

#include "kspace/medium.h"
#include "kspace/parameters.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

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

/// The term of the dispersion, |eta| k^(y-1), where it is furthest from what keeps the step stable.
struct DispersionStability {
  double wavenumber = 0; ///< rad/m
  double value = 0;
  double bound = 0; ///< largest stable value
  bool stable() const { return value <= bound; }
};

/// With absorption each wave number k of a homogeneous medium steps by
///   rho <- rho - d,   then   d <- d + A rho - B d,
/// where d is the change of the density in a step (the right-hand rho is the new one) and
///   A = 4 s(k)^2 (1 - eta k^(y-1)),   B = -4 s(k)^2 tau k^(y-2) / dt.
/// Its eigenvalues are not above 1 if and only if A >= 0, A + 2 B <= 4 and B <= 2 (Jury's criterion
/// on trace 2 - A - B and determinant 1 - B). For y > 1, eta < 0, this bounds
///   |eta| k^(y-1) <= 1/s(k)^2 - 1 - 2 |tau| k^(y-2)/dt,
/// worst at the largest wave number or where s is largest; for y < 1, eta > 0, it is
/// eta k^(y-1) <= 1, worst at the smallest. Near y = 1 eta has no bound, as tan(pi y/2) has none.
///
/// Returns the worst point of the grid. Points where already s > 1 are left to
/// largest_stable_step(). For power-law absorption. Collective.
DispersionStability dispersion_stability(const Parameters &parameters, const Medium &medium,
                                         const Slab &slab, const grid::Communicator &comm);

/// k_max: the wave number of the corner of the spectrum, in rad/m.
double largest_wavenumber(const Parameters &grid);

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
