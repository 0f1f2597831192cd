#include "solvers/kspace/medium/stability.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "hybridfft/grid/all_vectors.hpp"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/medium/absorption.h"

namespace hybridfft::kspace {

double largest_wavenumber(const Parameters &grid) {
  double sum = 0;
  for (std::size_t a = 0; a < static_cast<std::size_t>(grid.dimensions()); ++a) {
    const double d = grid.spacing[a];
    sum += 1 / (d * d);
  }
  return std::numbers::pi * std::sqrt(sum);
}

double largest_stable_step(double c_ref, double max_speed, const Parameters &grid) {
  if (max_speed <= c_ref) return std::numeric_limits<double>::infinity();
  return 2 * std::asin(c_ref / max_speed) / (c_ref * largest_wavenumber(grid));
}

namespace {

using PowerLawTerm = AbsorptionStability::PowerLawTerm;

/// Wave numbers that reach the limits of stability first (see absorption_stability()).
std::vector<double> critical_wavenumbers(const Parameters &p) {
  const double most = largest_wavenumber(p);
  double least = most;
  for (std::size_t a = 0; a < static_cast<std::size_t>(p.dimensions()); ++a)
    if (p.n[a] > 1)
      least = std::min(least, 2 * std::numbers::pi / (static_cast<double>(p.n[a]) * p.spacing[a]));
  // s(k) is largest at the largest wave number or at c_ref k dt/2 = pi/2.
  const double peak = std::numbers::pi / (p.c_ref * p.dt);
  return {most, std::min(most, peak), least};
}

double squared_sine(const Parameters &p, double wavenumber, double dt) {
  const double sine = std::sin(p.c_ref * wavenumber * dt / 2);
  return sine * sine;
}

/// A plane wave of a homogeneous medium with the properties of one grid point.
struct Mode {
  double wavenumber = 0;
  double speed_ratio2 = 0; ///< (c / c_ref)^2
  double dispersion = 0;   ///< eta k^(y-1)
  double loss = 0;         ///< 2 |tau| k^(y-2), in s

  /// Compares both conditions of absorption_stability() and returns the one with the larger excess
  /// over its bound, for s(k)^2 = s2.
  AbsorptionStability judge(double s2, double dt) const {
    const double room = 1 / s2 - 1;
    const double share = loss / dt;
    if (dispersion - 1 > share - dispersion - room)
      return {PowerLawTerm::dispersion, wavenumber, dispersion, 1, 0};
    if (-dispersion > share)
      return {PowerLawTerm::dispersion, wavenumber, -dispersion, room - share, 0};
    return {PowerLawTerm::absorption, wavenumber, share, room + dispersion, 0};
  }
};

/// Returns the largest time step that satisfies the second condition of absorption_stability() at
/// the largest wave number, the critical one for small steps. Returns 0 if no step satisfies the
/// first condition.
double largest_step(const Parameters &p, const Mode &worst, bool power_law) {
  if (worst.dispersion > 1) return 0;
  Mode m = worst;
  const double y = p.alpha_power;
  const double k = largest_wavenumber(p);
  if (power_law) {
    m.dispersion *= dispersion_multiplier(k, y) / dispersion_multiplier(worst.wavenumber, y);
    m.loss *= absorption_multiplier(k, y) / absorption_multiplier(worst.wavenumber, y);
  }
  const auto stable = [&](double dt) {
    return m.speed_ratio2 * squared_sine(p, k, dt) * (1 - m.dispersion + m.loss / dt) <= 1;
  };
  // Bisection needs a monotonic condition. The left-hand side in stable() has a term proportional
  // to sin^2(x) and a term proportional to sin^2(x)/x, with x = c_ref k dt/2. Both terms grow up to
  // x = 1.1655, the maximum of sin^2(x)/x. From there to x = pi/2, the maximum of s, the second
  // term decreases slightly.
  const double turn = 2 * 1.1655 / (p.c_ref * k);
  const bool beyond = stable(turn);
  double low = beyond ? turn : 0;
  double high = beyond ? std::numbers::pi / (p.c_ref * k) : turn;
  if (stable(high)) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (stable(middle) ? low : high) = middle;
  }
  return low;
}

} // namespace

namespace {

constexpr double lowest_excess = std::numeric_limits<double>::lowest();

/// Maximum and minimum over points of the excess of a value over its bound.
struct Excess {
  double most = lowest_excess, least = -lowest_excess;
};

/// The largest excess of all points and wave numbers, its row (i, j), and the index of its wave
/// number. `least` is positive if each row has a wave number at which all points of the row exceed
/// their bounds.
struct Furthest {
  double excess = lowest_excess;
  std::ptrdiff_t i = 0, j = 0;
  std::size_t wavenumber = 0;
  double least = -lowest_excess;
};

/// Factors that convert coefficients of the medium to the members of Mode at one wave number.
template <class Real> struct ModeScale {
  double wavenumber, sine2, c_ref2;
  double dispersion = 0;
  double loss = -2;

  ModeScale(const Parameters &p, double k)
      : wavenumber(k), sine2(squared_sine(p, k, p.dt)), c_ref2(p.c_ref * p.c_ref) {
    if (p.absorption != Absorption::power_law) return;
    dispersion = dispersion_multiplier(k, p.alpha_power);
    loss = -2 * absorption_multiplier(k, p.alpha_power);
  }
  Mode mode(Real c2, Real tau, Real eta) const {
    return {wavenumber, static_cast<double>(c2) / c_ref2, static_cast<double>(eta) * dispersion,
            static_cast<double>(tau) * loss};
  }
};

/// Computes the excess (value - bound) of Mode::judge() on a row. Skips points with s > 1.
template <class Real>
HFFT_ALL_VECTORS Excess excess_of_row(std::ptrdiff_t n, const Real *c2, const Real *tau,
                                      const Real *eta, const ModeScale<Real> &scale, double dt) {
  const double speed = scale.sine2 / scale.c_ref2;
  const double share_scale = scale.loss / dt;
  const double dispersion_scale = scale.dispersion;
  double most = lowest_excess, least = -lowest_excess;
#pragma omp simd reduction(max : most) reduction(min : least)
  for (std::ptrdiff_t k = 0; k < n; ++k) {
    const double s2 = static_cast<double>(c2[k]) * speed;
    const double share = static_cast<double>(tau[k]) * share_scale;
    const double dispersion = static_cast<double>(eta[k]) * dispersion_scale;
    const double second = share - (1 / s2 - 1) - dispersion;
    const double worse = dispersion - 1 > second ? dispersion - 1 : second;
    const double high = s2 > 1 ? lowest_excess : worse;
    const double low = s2 > 1 ? -lowest_excess : worse;
    most = high > most ? high : most;
    least = low < least ? low : least;
  }
  return {most, least};
}

} // namespace

template <class Real>
AbsorptionStability absorption_stability(const Parameters &p, const Medium<Real> &medium,
                                         const LocalGrid &local, grid::Host host,
                                         const grid::Communicator &comm) {
  const bool power_law = p.absorption == Absorption::power_law;
  const grid::Rows<Real> c2 = medium.speed_squared().rows();
  const grid::Rows<Real> tau = medium.absorption().rows();
  const grid::Rows<Real> eta = (power_law ? medium.dispersion() : medium.absorption()).rows();
  const bool uniform = medium.speed_squared().uniform() && medium.absorption().uniform();
  const grid::Box box = uniform && local.box().extent(0) > 0 ? grid::Box{1, 1, 1} : local.box();
  std::vector<ModeScale<Real>> scales;
  for (const double k : critical_wavenumbers(p))
    scales.emplace_back(p, k);
  const Furthest furthest = grid::reduce(
      host, grid::Box{box.extent(0), box.extent(1), 1}, Furthest(),
      [&](auto i, auto j, auto) {
        Furthest of_row;
        double least = lowest_excess;
        for (std::size_t s = 0; s < scales.size(); ++s) {
          const Excess found = excess_of_row(box.extent(2), c2.row(i, j), tau.row(i, j),
                                             eta.row(i, j), scales[s], p.dt);
          least = std::max(least, found.least);
          if (found.most > of_row.excess) of_row = {found.most, i, j, s};
        }
        of_row.least = least;
        return of_row;
      },
      [](const Furthest &a, const Furthest &b) {
        Furthest worse = b.excess > a.excess ? b : a;
        worse.least = std::min(a.least, b.least);
        return worse;
      });
  AbsorptionStability worst;
  Mode worst_mode;
  double excess = lowest_excess;
  const bool any = furthest.excess > excess;
  for (std::ptrdiff_t l = 0; any && l < box.extent(2); ++l) {
    const auto [unused, i, j, number, also_unused] = furthest;
    const ModeScale<Real> &scale = scales[number];
    const Mode mode = scale.mode(c2(i, j, l), tau(i, j, l), eta(i, j, l));
    const double s2 = mode.speed_ratio2 * scale.sine2;
    if (s2 > 1) continue;
    const AbsorptionStability found = mode.judge(s2, p.dt);
    if (found.value - found.bound <= excess) continue;
    excess = found.value - found.bound;
    worst = found;
    worst_mode = mode;
  }
  if (!worst.stable()) worst.largest_step = largest_step(p, worst_mode, power_law);
  // Ranks without points report the lowest number.
  const double largest = comm.max(excess);
  const grid::Communicator::ArgMin first =
      comm.argmin({excess == largest ? comm.rank() : grid::Communicator::ArgMin::nowhere, 0});
  const bool mine = first.where == comm.rank();
  const double absorbs = comm.sum(mine && worst.term == PowerLawTerm::absorption ? 1.0 : 0.0);
  return {absorbs > 0 ? PowerLawTerm::absorption : PowerLawTerm::dispersion,
          comm.sum(mine ? worst.wavenumber : 0),
          comm.sum(mine ? worst.value : 0),
          comm.sum(mine ? worst.bound : 0),
          comm.sum(mine ? worst.largest_step : 0),
          -comm.max(-furthest.least) > 0};
}

std::string describe(const AbsorptionStability &found, const Parameters &p) {
  const bool power_law = p.absorption == Absorption::power_law;
  const bool disperses = found.term == AbsorptionStability::PowerLawTerm::dispersion;
  const std::string at = " is " + short_string(found.value) +
                         " at k = " + short_string(found.wavenumber) + " rad/m, expected at most " +
                         short_string(std::max(found.bound, 0.0));
  const std::string term = disperses   ? "the dispersion term |eta| k^(y-1)"
                           : power_law ? "the absorption term 2 |tau| k^(y-2) / dt"
                                       : "the absorption term 2 |tau| / dt";
  const std::string y = to_string(p.alpha_power);
  if (disperses && found.value >= 1)
    return "dataset alpha_power is " + y + ": with this alpha_coeff and dt " + term + at +
           (found.largest_step > 0 ? " (or dt at most " + short_string(found.largest_step) + " s)"
                                   : "");
  return "dataset dt is " + to_string(p.dt) + " s, expected at most about " +
         short_string(found.largest_step) + " s with the absorption of this medium (alpha_power " +
         y + "): " + term + at;
}

template AbsorptionStability absorption_stability(const Parameters &p, const Medium<float> &medium,
                                                  const LocalGrid &local, grid::Host host,
                                                  const grid::Communicator &comm);
template AbsorptionStability absorption_stability(const Parameters &p, const Medium<double> &medium,
                                                  const LocalGrid &local, grid::Host host,
                                                  const grid::Communicator &comm);

} // namespace hybridfft::kspace
