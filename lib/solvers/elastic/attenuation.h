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
  /// Largest number of ghosts beyond an end of an axis, over all variants of GhostExchange.
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
/// product of its factors along the three axes.
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

/// Debye relaxation mechanisms with weights w and relaxation times tau. Together they attenuate all
/// frequencies f of a band almost equally: the sum of w x/(1 + x^2) is close to 1, with
/// x = 2 pi f tau.
struct Mechanisms {
  static constexpr int number = 8;
  std::array<double, number> tau;    ///< relaxation times, in s
  std::array<double, number> weight; ///< weights for a quality factor of 1
};

/// Fits the mechanisms to a constant quality factor from `lowest` to `highest` Hz. The frequencies
/// 1/(2 pi tau) are equally spaced on a logarithmic scale, from half the lowest to twice the
/// highest frequency. The weights are a least-squares fit over the band. A narrow band is fitted as
/// part of a wider one, since large negative weights would result otherwise.
Mechanisms constant_quality(double lowest, double highest);

/// Unrelaxed moduli (limit of high frequencies) of P and S waves, relative to the moduli at the
/// reference frequency.
struct UnrelaxedModuli {
  double p = 1, s = 1;
};
UnrelaxedModuli unrelaxed_moduli(const Quality &quality);
/// Returns how much both numbers of unrelaxed_moduli() exceed 1 for a quality factor of 1. For a
/// quality factor Q they exceed 1 by the returned number divided by Q.
double unrelaxed_part(const Quality &quality);

/// Returns the smallest quality factor for which the relaxed moduli (limit of low frequencies) are
/// positive in all cells. Each cell has one of the eight mechanisms with eight times its weight.
/// With smaller factors waves grow for any time step.
double min_quality(const Quality &quality);
/// Returns an upper bound, in 1/s, of the growth rate of the shortest waves due to mechanisms with
/// negative weight. It is 0 if no weight is negative. This holds for bands with a ratio of the
/// highest to the lowest frequency above about 20, and for narrow bands fitted as part of a wider
/// one.
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
