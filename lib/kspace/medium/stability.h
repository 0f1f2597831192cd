/// Bounds on the time step for stability.
#pragma once

#include <string>

#include "kspace/base/parameters.h"
#include "kspace/medium/medium.h"

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

/// The term of the absorption or of the dispersion at the point where it is furthest from its
/// stable range.
struct AbsorptionStability {
  enum class Term { dispersion, absorption };
  Term term = Term::dispersion;
  double wavenumber = 0; ///< rad/m
  double value = 0;
  double bound = 0; ///< largest stable value
  /// Largest stable time step in s at this point; 0: no step is stable.
  double largest_step = 0;
  bool everywhere = false; ///< no point is in its stable range
  bool stable() const { return value <= bound; }
};

/// With absorption each wave number k of a homogeneous medium steps by
///   rho <- rho - d,   then   d <- d + A rho - B d,
/// where d is the change of the density in a step (the right-hand rho is the new one) and
///   A = 4 s(k)^2 (1 - eta k^(y-1)),   B = -4 s(k)^2 tau k^(y-2) / dt;
/// for Stokes absorption eta is 0 and k^(y-2) is 1. Its eigenvalues are not above 1 if and only if
/// A >= 0, A + 2 B <= 4 and B <= 2 (Jury's criterion on trace 2 - A - B and determinant 1 - B; the
/// last one follows from the others). The first one is
///   eta k^(y-1) <= 1
/// (worst at the smallest wave number for y < 1, at the largest one for y > 2, where eta > 0), the
/// second one
///   -eta k^(y-1) + 2 |tau| k^(y-2)/dt <= 1/s(k)^2 - 1,
/// worst at the largest wave number or where s is largest; it is met by any dt that is small
/// enough. It is given as a bound on the larger one of its two terms. Near y = 1 eta has no bound,
/// as tan(pi y/2) has none.
///
/// Returns the worst point of the grid. Points where already s > 1 are left to
/// largest_stable_step(). In a heterogeneous medium, a good guide as that is. For a medium with
/// absorption. Collective.
template <class Real>
AbsorptionStability absorption_stability(const Parameters &parameters, const Medium<Real> &medium,
                                         const LocalGrid &local, grid::Host host,
                                         const grid::Communicator &comm);

/// Text about an unstable step: "dataset NAME is VALUE, expected ...", which names the dataset to
/// change, the time step unless the medium is at fault.
template <class Real>
std::string describe(const AbsorptionStability &found, const Parameters &parameters);

/// k_max: the wave number of the corner of the spectrum, in rad/m.
double largest_wavenumber(const Parameters &grid);

} // namespace hybridfft::kspace
