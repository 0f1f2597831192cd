/// The far field of a power law's fractional Laplacians in local bases. Their kernels decay slowly
/// and reach beyond neighbouring blocks.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/medium/absorption.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/operators/derivative.h"
#include "solvers/lfb/coarse_level.h"

namespace hybridfft::kspace {

/// Splits L_tau and L_eta into a near and a far field. The near field multiplies the operands'
/// spectra on periods of blocks by multipliers(). The far field is computed on a coarse grid
/// (lfb::CoarseLevel) and added row by row.
template <class Real> class FarField {
public:
  /// Collective. Throws hybridfft::Error.
  FarField(const Parameters &parameters, const Decomposition &decomposition, const LocalGrid &local,
           const grid::Communicator &comm, const Exec &exec);

  /// Multipliers of the near field. Valid for the lifetime of this object.
  LaplacianMultipliers multipliers() const;
  /// Sets tau and eta of Operator::absorption.
  void set_uniform(Real tau, Real eta);

  /// Starts the exchange of operand 0 or 1 of this rank's blocks, in global indices. Call finish()
  /// before add().
  void start(std::size_t operand, std::span<const grid::View<const Real>> blocks);
  void finish(std::size_t operand);
  /// Returns the far field of an operand.
  const Field<Real> &of(std::size_t operand) const { return parts_[operand]; }
  /// Adds the far field to component c of the operator on a row, in memory of the calling thread.
  /// Host only.
  const Real *add(Operator op, int c, const Row &row, const Real *values) const;

private:
  LocalGrid local_;
  grid::Index3 start_; ///< first point of this rank's box
  std::size_t blocks_;
  lfb::CoarseLevel<Real> coarse_;
  std::array<Field<Real>, 2> parts_; ///< far fields
  Real tau_ = 0, eta_ = 0;
  mutable std::vector<Real> rows_; ///< one row per host thread
};

} // namespace hybridfft::kspace
