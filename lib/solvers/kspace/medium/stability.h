/// Largest stable time steps, without and with absorption.
#pragma once

#include <string>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/medium/medium.h"

namespace hybridfft::kspace {

/// Largest stable time step in s; infinity if every step is stable.
///
/// In a homogeneous medium of sound speed c each wave number k satisfies the leapfrog scheme
///   p[n+1] - 2 p[n] + p[n-1] = -4 s(k)^2 p[n],   s(k) = (c/c_ref) sin(c_ref k dt/2),
/// because kappa replaces c k dt/2 by the sine. The solution is bounded if and only if |s(k)| <= 1.
/// For c <= c_ref this holds for every dt. For c > c_ref it holds up to the largest wave number of
/// the grid, k_max = pi sqrt(1/dx^2 + 1/dy^2 + 1/dz^2), if
///   dt <= 2 asin(c_ref/c) / (c_ref k_max).
/// In a heterogeneous medium with largest sound speed c the criterion is a good estimate, not a
/// proof.
double largest_stable_step(double c_ref, double max_speed, const Parameters &grid);

/// Result of absorption_stability(): the term and the grid point with the largest excess over the
/// stability bound.
struct AbsorptionStability {
  enum class PowerLawTerm { dispersion, absorption };
  PowerLawTerm term = PowerLawTerm::dispersion;
  double wavenumber = 0; ///< rad/m
  double value = 0;
  double bound = 0; ///< largest stable value
  /// Largest stable time step in s at this point; 0 if no step is stable.
  double largest_step = 0;
  bool everywhere = false; ///< all points exceed their bounds
  bool stable() const { return value <= bound; }
};

/// Checks the stability of absorption at all points of the grid. With absorption, each wave number
/// k of a homogeneous medium advances by
///   rho <- rho - d,   then   d <- d + A rho - B d,
/// where d is the change of the density in a step, the second equation uses the new rho, and
///   A = 4 s(k)^2 (1 - eta k^(y-1)),   B = -4 s(k)^2 tau k^(y-2) / dt.
/// For Stokes absorption eta is 0 and k^(y-2) is 1. The eigenvalues are at most 1 in modulus if and
/// only if A >= 0, A + 2 B <= 4 and B <= 2. This is Jury's criterion for trace 2 - A - B and
/// determinant 1 - B; the last condition follows from the others. The first condition is
///   eta k^(y-1) <= 1.
/// For y < 1 the smallest wave number is critical, and for y > 2 (eta > 0) the largest. The second
/// condition is
///   -eta k^(y-1) + 2 |tau| k^(y-2)/dt <= 1/s(k)^2 - 1.
/// The critical wave number is the largest one or the one with maximum s. Any sufficiently small dt
/// satisfies this condition. The result reports it as a bound on the larger of the two terms on the
/// left. Near y = 1, eta is unbounded because tan(pi y/2) is.
///
/// Returns the point with the largest excess. Ignores points with s > 1, which
/// largest_stable_step() checks. In a heterogeneous medium the criterion is an estimate. Only for
/// media with absorption. Collective.
template <class Real>
AbsorptionStability absorption_stability(const Parameters &parameters, const Medium<Real> &medium,
                                         const LocalGrid &local, grid::Host host,
                                         const grid::Communicator &comm);

/// Describes an unstable step: "dataset NAME is VALUE, expected ...". NAME is
/// alpha_power if the dispersion term is at least 1, else dt.
std::string describe(const AbsorptionStability &found, const Parameters &parameters);

/// k_max, the wave number at the corner of the spectrum, in rad/m.
double largest_wavenumber(const Parameters &grid);

} // namespace hybridfft::kspace
