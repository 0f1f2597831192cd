/// Warnings before a simulation runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kspace/files/input_file.h"
#include "kspace/medium/medium.h"
#include "kspace/operators/decomposition.h"

namespace hybridfft::kspace {

/// Sizes with slow transforms, time steps and absorption that make the scheme unstable, and physics
/// for which local bases are inaccurate. Collective. Throws InputError for absorption with which
/// the simulation would diverge, unless that is allowed.
template <class Real>
std::vector<std::string>
warnings_of(const InputFile<Real> &in, const Parameters &parameters, const Medium<Real> &medium,
            const std::optional<Decomposition> &decomposition, const LocalGrid &local,
            grid::Host host, const grid::Communicator &comm, bool allow_unstable);

} // namespace hybridfft::kspace
