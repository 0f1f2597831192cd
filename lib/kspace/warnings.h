/// Warnings before a simulation runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kspace/files/input_file.h"
#include "kspace/medium/medium.h"
#include "kspace/operators/decomposition.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Sizes with slow transforms, time steps and absorption that make the scheme unstable, and physics
/// for which local bases are inaccurate. Collective. Throws InputError for absorption with which
/// the simulation would diverge, unless that is allowed.
std::vector<std::string> warnings_of(const InputFile &in, const Parameters &parameters,
                                     const Medium &medium,
                                     const std::optional<Decomposition> &decomposition,
                                     const LocalGrid &local, grid::Host host,
                                     const grid::Communicator &comm, bool allow_unstable);

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
