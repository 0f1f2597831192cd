/// Checks and warnings before a simulation begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/medium/medium.h"
#include "solvers/kspace/operators/decomposition.h"
#include "solvers/kspace/simulation.h"

namespace hybridfft::kspace {

/// Returns the file name of the output. Refuses files that would overwrite each other and files
/// that cannot be written, before the simulation begins. Collective. Throws InputError or
/// io::IoError.
std::string checked_output(const std::string &input, const std::string &output,
                           const SimulationOptions &options, const grid::Communicator &comm);

/// Throws InputError if the output of a checkpoint's simulation is missing. Collective.
void require_output(const std::string &output, const std::string &checkpoint,
                    const grid::Communicator &comm);

/// Reads the scalars of the input and replaces the number of time steps by the option's. Checks the
/// shapes of its arrays. Collective. Throws InputError or Unsupported.
template <class Real>
Parameters checked_parameters(const InputFile<Real> &in, const SimulationOptions &options);

/// Warnings for sizes with slow transforms, for unstable time steps or absorption, and for physics
/// with large errors in local bases. Collective. Throws InputError for divergent absorption unless
/// `allow_unstable` is set.
template <class Real>
std::vector<std::string>
warnings_of(const InputFile<Real> &in, const Parameters &parameters, const Medium<Real> &medium,
            const std::optional<Decomposition> &decomposition, const LocalGrid &local,
            grid::Host host, const grid::Communicator &comm, bool allow_unstable);

} // namespace hybridfft::kspace
