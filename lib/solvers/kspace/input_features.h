/// Reads the properties of an input that determine the errors of local bases: spectra of the
/// initial pressure and of source signals, and jumps of the medium. `--basis auto` bounds the error
/// with them.
#pragma once

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/operators/basis_choice.h"

namespace hybridfft::kspace {

/// Reads the initial pressure and the medium once for each axis, and the source signals once. The
/// ranks share the work. Collective; returns the same on all ranks. Throws InputError or
/// io::IoError.
template <class Real>
InputFeatures read_features(const InputFile<Real> &file, const Parameters &parameters,
                            grid::Host host);

} // namespace hybridfft::kspace
