/// The solid: the properties of cells, and the coefficients of the equations.
#pragma once

#include "solvers/elastic/exchange.h"
#include "solvers/elastic/exec.h"
#include "solvers/elastic/kernels.h"

namespace hybridfft::elastic {

/// Speeds of P and S waves (m/s) and density (kg/m^3) in the cells of a rank's block. The arrays
/// have the block's box and the ghosts of the method of exchange. The caller sets the values of the
/// box, except for planes above the cells. A rank without a block has empty arrays.
template <class Real> struct Cells {
  Cells() = default;
  Cells(const grid::Box &box, const grid::Widths &ghosts, int threads)
      : vp(grid::Place::host, box, ghosts, threads), vs(grid::Place::host, box, ghosts, threads),
        rho(grid::Place::host, box, ghosts, threads) {}
  grid::Array<Real> vp, vs, rho;
};

/// Density, and moduli in cells and between them. mu of a shear stress is the harmonic mean of four
/// cells, and 0 if one of them is a fluid. The nearest cell applies beyond sides that are not
/// periodic.
template <class Real> class Medium {
public:
  /// Collective. Throws Error(HFFT_ERROR_OUT_OF_MEMORY) on all ranks.
  Medium(const grid::Cartesian &cartesian, const Problem &problem, Cells<Real> cells,
         const grid::Host &host);

  /// Moves the values to the device of exec, if there is one.
  void move_to(const ElasticExec &exec);
  const grid::Array<Real> &density() const { return density_; }
  kernels::Moduli<Real> moduli() const;

private:
  void compute(const Cells<Real> &cells, const grid::Host &host);

  grid::Array<Real> density_, lambda_, inverse_mu_;
};

} // namespace hybridfft::elastic
