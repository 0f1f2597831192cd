/// The solid medium: material properties of the cells, and the coefficients derived from them.
#pragma once

#include <vector>

#include "solvers/elastic/exec.h"
#include "solvers/elastic/kernels.h"
#include "solvers/elastic/problem.h"

namespace hybridfft::elastic {

/// Speeds of P and S waves (m/s) and density (kg/m^3) in the cells of a rank's block, set by the
/// caller. The arrays have the box of the block and the ghosts of the ghost exchange; planes above
/// the cells need no values. A rank without a block has empty arrays. Problems with
/// Quality::in_cells also have reciprocal quality factors.
template <class Real> struct Cells {
  Cells() = default;
  Cells(const grid::Box &box, const grid::Widths &ghosts, int threads, bool qualities = false)
      : vp(grid::Place::host, box, ghosts, threads), vs(grid::Place::host, box, ghosts, threads),
        rho(grid::Place::host, box, ghosts, threads) {
    if (!qualities) return;
    inverse_q_p = grid::Array<Real>(grid::Place::host, box, ghosts, threads);
    inverse_q_s = grid::Array<Real>(grid::Place::host, box, ghosts, threads);
  }
  /// Returns all arrays in use.
  std::vector<grid::Array<Real> *> arrays(bool qualities) {
    std::vector<grid::Array<Real> *> all{&vp, &vs, &rho};
    if (qualities) all.insert(all.end(), {&inverse_q_p, &inverse_q_s});
    return all;
  }
  grid::Array<Real> vp, vs, rho;
  grid::Array<Real> inverse_q_p, inverse_q_s; ///< 1/Q of P and S waves; 0 for S waves in fluids
};

/// Density, and moduli at cell centres and at shear stresses. mu at a shear stress is the harmonic
/// mean of four cells, and 0 if one of them is a fluid. Beyond sides that are not periodic, the
/// nearest cell is used.
template <class Real> class Medium {
public:
  /// Collective. Throws Error(HFFT_ERROR_OUT_OF_MEMORY) on all ranks if memory is short on one.
  Medium(const grid::Cartesian &cartesian, const Problem &problem, Cells<Real> cells,
         const grid::Host &host);

  /// Moves the arrays to the device of `exec`, if there is one.
  void move_to(const ElasticExec &exec);
  const grid::Array<Real> &density() const { return density_; }
  kernels::Moduli<Real> moduli() const;
  /// Reciprocal quality factors of P and S waves, for problems with Quality::in_cells.
  const grid::Array<Real> &inverse_q_p() const { return inverse_q_p_; }
  const grid::Array<Real> &inverse_q_s() const { return inverse_q_s_; }

private:
  void compute(const Cells<Real> &cells, const grid::Host &host);
  std::vector<grid::Array<Real> *> arrays();

  bool qualities_;
  grid::Array<Real> density_, lambda_, inverse_mu_, inverse_q_p_, inverse_q_s_;
};

} // namespace hybridfft::elastic
