/// Memory variables' relaxation times and weights.
#pragma once

#include <array>
#include <vector>

#include "elastic/axis_table.h"
#include "elastic/kernels.h"
#include "elastic/problem.h"

namespace hybridfft::elastic {

/// Debye mechanisms whose sum is about the same over a band: sum w x/(1 + x^2) = 1 with
/// x = 2 pi f tau.
struct Mechanisms {
  static constexpr int number = 8;
  std::array<double, number> tau;    ///< relaxation times, in s
  std::array<double, number> weight; ///< for a quality factor of 1
};

/// Times spread evenly, on a logarithmic scale, from half of the lowest to twice the highest
/// frequency (Hz); weights by least squares over the band. Narrow bands are fitted as part of a
/// wider one, whose weights are all positive.
Mechanisms constant_quality(double lowest, double highest);

/// Moduli of P and S waves at high frequencies over those at the reference frequency.
struct UnrelaxedModuli {
  double p = 1, s = 1;
};
UnrelaxedModuli unrelaxed_moduli(const Quality &quality);

/// The least quality factor of a modulus that is positive at low frequencies in all cells, where a
/// single mechanism counts eight times. Below, waves grow whatever the time step.
double least_quality(const Quality &quality);
/// A bound of the rate, in 1/s, at which the shortest waves grow by mechanisms of negative weight,
/// which bands of less than about 20 to 1 have; 0 without.
double growth_rate(const Quality &quality);

/// Tables of a problem's attenuation, along its axes.
template <class Real> class Attenuation {
public:
  /// The problem has a quality.
  explicit Attenuation(const Problem &problem);
  void move_to(const Exec &exec);
  kernels::Relaxation<Real> relaxation() const;

private:
  Quality quality_;
  UnrelaxedModuli unrelaxed_;
  std::array<AxisTable<Real>, 2> odd_;
  std::array<AxisTable<Real>, 4> weight_, gain_, decay_;
};

} // namespace hybridfft::elastic
