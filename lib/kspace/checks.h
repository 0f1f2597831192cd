/// Checks and warnings before a simulation begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hybridfft/grid/communicator.hpp"
#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/medium/medium.h"
#include "kspace/operators/decomposition.h"
#include "kspace/simulation.h"

namespace hybridfft::kspace {

/// The name of the output. Files that would replace each other at the end, or could not be written
/// then, are refused before the work begins. Collective. Throws InputError or io::IoError.
std::string checked_output(const std::string &input, const std::string &output,
                           const SimulationOptions &options, const grid::Communicator &comm);

/// A simulation goes on with the output of its checkpoint. Collective. Throws InputError.
void require_output(const std::string &output, const std::string &checkpoint,
                    const grid::Communicator &comm);

/// The scalars of the input, with the number of time steps in the options; checks that its arrays
/// fit. Collective. Throws InputError or Unsupported.
template <class Real>
Parameters checked_parameters(const InputFile<Real> &in, const SimulationOptions &options);

/// Sizes with slow transforms, time steps and absorption that make the scheme unstable, and physics
/// for which local bases are inaccurate. Collective. Throws InputError for absorption with which
/// the simulation would diverge, unless that is allowed.
template <class Real>
std::vector<std::string>
warnings_of(const InputFile<Real> &in, const Parameters &parameters, const Medium<Real> &medium,
            const std::optional<Decomposition> &decomposition, const LocalGrid &local,
            grid::Host host, const grid::Communicator &comm, bool allow_unstable);

} // namespace hybridfft::kspace
