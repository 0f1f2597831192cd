/// Checks of files and options before a simulation begins.
#pragma once

#include <string>

#include "hybridfft/grid/communicator.hpp"
#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
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

} // namespace hybridfft::kspace
