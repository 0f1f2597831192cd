/// Automatic choice between the global Fourier basis and local bases. It predicts the time per step
/// of each by a model of machine and network, and picks the fastest one within the accuracy.
/// network.
#pragma once

#include <functional>
#include <string>

#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/operators/basis_error.h"
#include "solvers/kspace/operators/basis_options.h"

namespace hybridfft::kspace {

/// The chosen basis and the reason.
struct BasisChoice {
  BasisOptions options; ///< with kind global or local
  /// One line with the basis, its error bound, its time per step, and the times of the
  /// alternatives.
  std::string reason;
};

/// Chooses the fastest basis with error_bound() at most options.accuracy. The file in HFFT_MACHINE
/// sets the machine's parameters. Without it, all ranks measure the network and the transforms of a
/// small grid, in about 10 ms. Grids without local bases get the global one. Collective.
/// \throws InputError on all ranks for options of blocks, because it chooses these itself; Failure
/// for an unreadable machine file
/// \param read_features reads the input; called on all ranks if a local basis is expected to be
///                      faster than the global one
BasisChoice choose_basis(const BasisOptions &options, const Parameters &parameters, int threads,
                         const grid::Communicator &comm,
                         const std::function<InputFeatures()> &read_features);

/// Chooses the basis on devices: local on several ranks or if the user sets options of blocks.
/// Throws InputError on all ranks if an accuracy is set, because the choice ignores it.
BasisChoice choose_basis_on_devices(const BasisOptions &options, const grid::Communicator &comm);

} // namespace hybridfft::kspace
