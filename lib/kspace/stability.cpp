#include "kspace/stability.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "kspace/absorption.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

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

/// The wave numbers where power-law absorption may be unstable first.
std::vector<double> critical_wavenumbers(const Parameters &p) {
  const double most = largest_wavenumber(p);
  if (p.alpha_power > 1) {
    // s(k) has its maximum, if not at the end, where c_ref k dt/2 = pi/2.
    const double peak = std::numbers::pi / (p.c_ref * p.dt);
    return {most, std::min(most, peak)};
  }
  double least = most;
  for (std::size_t a = 0; a < static_cast<std::size_t>(p.dimensions()); ++a)
    if (p.n[a] > 1)
      least = std::min(least, 2 * std::numbers::pi / (static_cast<double>(p.n[a]) * p.spacing[a]));
  return {least};
}

} // namespace

DispersionStability dispersion_stability(const Parameters &p, const Medium &medium,
                                         const Slab &slab, const grid::Communicator &comm) {
  const double dt = p.dt;
  const double c_ref = p.c_ref;
  const double y = p.alpha_power;
  const grid::Rows<Real> c2 = medium.speed_squared().rows();
  const grid::Rows<Real> tau = medium.absorption().rows();
  const grid::Rows<Real> eta = medium.dispersion().rows();
  const bool uniform = medium.speed_squared().uniform() && medium.dispersion().uniform();
  const grid::Box box = uniform && slab.real().n0 > 0 ? grid::Box{1, 1, 1} : slab.real();
  DispersionStability worst;
  double excess = std::numeric_limits<double>::lowest();
  for (const double k : critical_wavenumbers(p)) {
    const double sine = std::sin(c_ref * k * dt / 2);
    const double dispersion = dispersion_multiplier(k, y);
    const double absorption = absorption_multiplier(k, y);
    for (std::ptrdiff_t i = 0; i < box.n0; ++i)
      for (std::ptrdiff_t j = 0; j < box.n1; ++j)
        for (std::ptrdiff_t l = 0; l < box.n2; ++l) {
          const double s2 = static_cast<double>(c2(i, j, l)) / (c_ref * c_ref) * sine * sine;
          if (s2 > 1) continue;
          const double value = std::abs(static_cast<double>(eta(i, j, l))) * dispersion;
          const double loss = -2 * static_cast<double>(tau(i, j, l)) * absorption / dt;
          const double bound = y > 1 ? 1 / s2 - 1 - loss : 1;
          if (value - bound <= excess) continue;
          excess = value - bound;
          worst = {k, value, bound};
        }
  }
  // The excess, not found anywhere, is the lowest number.
  const double largest = comm.max(excess);
  const grid::Communicator::Finding first =
      comm.lowest({excess == largest ? comm.rank() : grid::Communicator::Finding::nowhere, 0});
  const bool mine = first.where == comm.rank();
  return {comm.sum(mine ? worst.wavenumber : 0), comm.sum(mine ? worst.value : 0),
          comm.sum(mine ? worst.bound : 0)};
}

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
