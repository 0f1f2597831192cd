/// Derivatives by Fourier transforms of the whole grid.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "grid/communicator.h"
#include "grid/parallel_for.h"
#include "hybridfft/hybridfft.hpp"
#include "kspace/derivative.h"
#include "kspace/parameters.h"
#include "kspace/spectral_operators.h"

namespace hybridfft::kspace {

/// One forward transform and three backward for a gradient, one and one for each term of a
/// divergence. Spectra are kept transposed, so each transform exchanges data once.
///
/// Memory: one work field, and the table of kappa (half a field). The gradient uses the memory of
/// its argument as a second work field.
class GlobalFourier final : public Derivative {
public:
  /// Plans; overwrites `scratch` (a field sized for transforms) unless effort is estimate.
  /// Collective. Throws hybridfft::Error.
  GlobalFourier(const Parameters &parameters, const Slab &slab, const grid::Communicator &comm,
                grid::Host host, Effort effort, Field &scratch);

  void gradient(Field &p, const UseComponent &use) override;
  void divergence_term(int axis, const Field &u, const Use &use) override;
  /// The plans in words.
  std::string describe() const;

private:
  struct Complex {
    float re, im;
  };
  using Factors = std::vector<Complex>;

  static Factors factors(const Parameters &parameters, const Slab &slab, std::size_t axis,
                         Shift shift);
  void fill_kappa(const Parameters &parameters);
  /// to = kappa * factors(axis) * from, which may be the same field.
  void multiply(const std::array<Factors, 3> &factors, int axis, const Field &from, Field &to);

  Slab slab_;
  grid::Host host_;
  Field work_;
  Field kappa_; ///< [y][z][kx], no padding
  std::array<Factors, 3> ahead_, behind_;
  Plan<float, Kind::r2c> forward_;  ///< out of place, keeps its input
  Plan<float, Kind::c2r> backward_; ///< in place
};

} // namespace hybridfft::kspace
