/// The choice between the global basis and local ones: the faster by a model of machine and
/// network.
#pragma once

#include <string>

#include "hybridfft/grid/communicator.hpp"
#include "kspace/base/parameters.h"
#include "kspace/operators/basis_options.h"

namespace hybridfft::kspace {

/// The basis that was chosen, and the reason.
struct BasisChoice {
  BasisOptions options; ///< their kind is global or local
  /// One line: the basis, its expected error and time per step, and those of the others.
  std::string reason;
};

/// Expected largest error of the pressure, over the largest pressure, where a wave goes through
/// `cuts` cuts: that of the plane wave of LFB.md, section 7 (content up to the Nyquist wave number;
/// smoother waves have less).
double expected_error(const std::string &overlap, double cuts);

/// The fastest basis that is expected to be as accurate as options.accuracy. Measures the network
/// and the transforms of a small grid, on all ranks at once: some 10 ms; or takes them from the
/// file that HFFT_MACHINE names. Grids that have no local bases get the global one. Collective.
/// Throws on all ranks alike: InputError for options of blocks, which it chooses itself; Failure
/// for a machine's file that cannot be read.
BasisChoice choose_basis(const BasisOptions &options, const Parameters &parameters, int threads,
                         const grid::Communicator &comm);

/// The basis on devices: local on several ranks, or where the user gives options of blocks. Throws
/// InputError on all ranks for an accuracy, by which it does not choose.
BasisChoice choose_basis_on_devices(const BasisOptions &options, const grid::Communicator &comm);

} // namespace hybridfft::kspace
