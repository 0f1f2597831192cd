/// The choice between the global basis and local ones: the faster by a model of machine and
/// network.
#pragma once

#include <functional>
#include <string>

#include "hybridfft/grid/communicator.hpp"
#include "kspace/base/parameters.h"
#include "kspace/operators/basis_error.h"
#include "kspace/operators/basis_options.h"

namespace hybridfft::kspace {

/// The basis that was chosen, and the reason.
struct BasisChoice {
  BasisOptions options; ///< their kind is global or local
  /// One line: the basis, the bound of its error, its time per step, and those of the others.
  std::string reason;
};

/// The fastest basis whose error is at most options.accuracy by error_bound(). Measures the network
/// and the transforms of a small grid, on all ranks at once: some 10 ms; or takes them from the
/// file that HFFT_MACHINE names. Grids that have no local bases get the global one. Collective.
/// Throws on all ranks alike: InputError for options of blocks, which it chooses itself; Failure
/// for a machine's file that cannot be read.
/// \param read_features reads the input; called on all ranks if a local basis is expected to be
///                      faster than the global one
BasisChoice choose_basis(const BasisOptions &options, const Parameters &parameters, int threads,
                         const grid::Communicator &comm,
                         const std::function<InputFeatures()> &read_features);

/// The basis on devices: local on several ranks, or where the user gives options of blocks. Throws
/// InputError on all ranks for an accuracy, by which it does not choose.
BasisChoice choose_basis_on_devices(const BasisOptions &options, const grid::Communicator &comm);

} // namespace hybridfft::kspace
