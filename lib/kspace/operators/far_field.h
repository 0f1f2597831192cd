/// The part of a power law's fractional Laplacians that comes from beyond the reach of local bases.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hybridfft/grid/parallel_for.hpp"
#include "kspace/medium/absorption.h"
#include "kspace/operators/decomposition.h"
#include "kspace/operators/derivative.h"
#include "lfb/coarse_level.h"

namespace hybridfft::kspace {

/// The operands' spectra on periods of blocks are multiplied by multipliers(); the rest of L_tau
/// and L_eta comes from a coarse grid (lfb::CoarseLevel) and is added row by row.
template <class Real> class FarField {
public:
  /// Collective. Throws hybridfft::Error.
  FarField(const Parameters &parameters, const Decomposition &decomposition, const LocalGrid &local,
           const grid::Communicator &comm, const Exec &exec);

  /// Valid as long as this lives.
  LaplacianMultipliers multipliers() const;
  /// The numbers of Operator::absorption.
  void set_uniform(Real tau, Real eta);

  /// Takes operand 0 or 1 of this rank's blocks, by global index, and sends it on its way. The
  /// other half is due before add().
  void start(std::size_t operand, std::span<const grid::View<const Real>> blocks);
  void finish(std::size_t operand);
  /// The far field of an operand.
  const Field<Real> &of(std::size_t operand) const { return parts_[operand]; }
  /// Component c of the operator on a row, with its far field, in memory of the calling thread. For
  /// the host only.
  const Real *add(Operator op, int c, const Row &row, const Real *values) const;

private:
  LocalGrid local_;
  grid::Index3 start_; ///< first point of this rank's box
  std::size_t blocks_;
  lfb::CoarseLevel<Real> coarse_;
  std::array<Field<Real>, 2> parts_; ///< far fields
  Real tau_ = 0, eta_ = 0;
  mutable std::vector<Real> rows_; ///< one of each thread of the host
};

} // namespace hybridfft::kspace
