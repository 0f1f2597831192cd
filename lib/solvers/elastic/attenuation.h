/// Viscoelastic attenuation with constant quality factor: relaxation times and weights of the
/// memory variables.
#pragma once

#include <array>
#include <vector>

#include "solvers/elastic/exec.h"
#include "solvers/elastic/kernels.h"
#include "solvers/elastic/medium.h"
#include "solvers/elastic/problem.h"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic {

/// The values of a function of the index along an axis, ghosts included. They are made on the host.
template <class Real> class AxisTable {
public:
  /// Largest number of ghosts beyond an end of an axis, over all ghost exchanges.
  static constexpr Index ghosts = 4;

  AxisTable() = default;
  /// Tabulates f(i) for -ghosts <= i < n + ghosts.
  template <class F> AxisTable(Index n, const F &f) {
    std::vector<Real> values;
    for (Index i = -ghosts; i < n + ghosts; ++i)
      values.push_back(static_cast<Real>(f(i)));
    values_ = List<Real>(values, {});
  }
  /// Moves the table to the device of `exec`, if there is one.
  void move_to(const ElasticExec &exec) { values_.move_to(exec); }
  const Real *numbers() const { return values_.data() + ghosts; }

private:
  List<Real> values_;
};

/// Factors of the absorbing layers (Sponge), one table per axis. The factor at a point is the
/// product of three.
template <class Real> class SpongeProfiles {
public:
  explicit SpongeProfiles(const Problem &problem);
  void move_to(const ElasticExec &exec) {
    for (AxisTable<Real> &profile : profiles_)
      profile.move_to(exec);
  }
  kernels::Damping<Real> factors() const {
    return {profiles_[0].numbers(), profiles_[1].numbers(), profiles_[2].numbers()};
  }

private:
  std::array<AxisTable<Real>, 3> profiles_;
};

/// Debye relaxation mechanisms whose sum is almost constant over a band of frequencies: sum of w
/// x/(1 + x^2) = 1 with x = 2 pi f tau.
struct Mechanisms {
  static constexpr int number = 8;
  std::array<double, number> tau;    ///< relaxation times, in s
  std::array<double, number> weight; ///< weights for a quality factor of 1
};

/// Fits the mechanisms to a constant quality factor from `lowest` to `highest` Hz. Relaxation times
/// are equally spaced on a logarithmic scale, from half the lowest to twice the highest frequency.
/// The weights are a least-squares fit over the band. In a narrow band some would be negative, so
/// it is fitted as part of a wider one.
Mechanisms constant_quality(double lowest, double highest);

/// Unrelaxed moduli (limit of high frequencies) of P and S waves, relative to the moduli at the
/// reference frequency.
struct UnrelaxedModuli {
  double p = 1, s = 1;
};
UnrelaxedModuli unrelaxed_moduli(const Quality &quality);
/// Returns how much both numbers of unrelaxed_moduli() exceed 1 for a quality factor of 1. For a
/// quality factor Q the excess is 1/Q times this number.
double unrelaxed_part(const Quality &quality);

/// Returns the smallest quality factor for which the relaxed moduli (limit of low frequencies) are
/// positive in all cells. Each cell has one of the eight mechanisms with eight times its weight.
/// With smaller factors waves grow for any time step.
double min_quality(const Quality &quality);
/// Returns an upper bound, in 1/s, of the growth rate of the shortest waves due to mechanisms with
/// negative weight. It is 0 for bands wider than about 20 to 1, which have no negative weights.
double growth_rate(const Quality &quality);

/// The coefficients of memory variables as tables along the axes.
template <class Real> class Attenuation {
public:
  /// \param problem must have a quality
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
