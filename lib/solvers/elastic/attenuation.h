/// Relaxation times and weights of memory variables.
#pragma once

#include <array>
#include <vector>

#include "solvers/elastic/axis_table.h"
#include "solvers/elastic/kernels.h"
#include "solvers/elastic/medium.h"
#include "solvers/elastic/problem.h"

namespace hybridfft::elastic {

/// Debye mechanisms with an almost constant sum over a band: sum w x/(1 + x^2) = 1 with x = 2 pi f
/// tau.
struct Mechanisms {
  static constexpr int number = 8;
  std::array<double, number> tau;    ///< relaxation times, in s
  std::array<double, number> weight; ///< weights for a quality factor of 1
};

/// Relaxation times are spread evenly, on a logarithmic scale, from half of the lowest to twice the
/// highest frequency (Hz). Weights are least squares over the band. A narrow band is fitted as part
/// of a wider one with positive weights.
Mechanisms constant_quality(double lowest, double highest);

/// Moduli of P and S waves at high frequencies over their values at the reference frequency.
struct UnrelaxedModuli {
  double p = 1, s = 1;
};
UnrelaxedModuli unrelaxed_moduli(const Quality &quality);
/// The excess of both over 1 for a quality factor of 1.
double unrelaxed_part(const Quality &quality);

/// Smallest quality factor for which the moduli in the limit of low frequencies are positive in all
/// cells. Each cell has one of the eight mechanisms, with eight times its weight. For smaller
/// factors waves grow for every time step.
double min_quality(const Quality &quality);
/// An upper bound of the growth rate, in 1/s, of the shortest waves due to mechanisms of negative
/// weight. Bands of less than about 20 to 1 have such mechanisms; for other bands it is 0.
double growth_rate(const Quality &quality);

/// Tables of a problem's attenuation, along its axes.
template <class Real> class Attenuation {
public:
  /// The problem must have a quality.
  explicit Attenuation(const Problem &problem);
  void move_to(const ElasticExec &exec);
  kernels::Relaxation<Real> relaxation() const;
  kernels::UniformQuality<Real> uniform() const;
  kernels::CellQuality<Real> of_cells(const Medium<Real> &medium) const;

private:
  Quality quality_;
  std::array<AxisTable<Real>, 2> odd_;
  std::array<AxisTable<Real>, 4> weight_, gain_, decay_;
};

} // namespace hybridfft::elastic
