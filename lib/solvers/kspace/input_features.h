/// Extraction of the input's properties that determine the errors of local bases: spectra of the
/// initial pressure and of the sources, jumps of the medium. `--basis auto` uses them to bound the
/// error.
#pragma once

#include "hybridfft/grid/parallel_for.hpp"
#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"
#include "solvers/kspace/operators/basis_choice.h"

namespace hybridfft::kspace {

/// Reads the initial pressure and the media along each axis, and the signals of sources once. The
/// ranks share the work. Collective; returns the same on all ranks. Throws InputError or
/// io::IoError.
template <class Real>
InputFeatures read_features(const InputFile<Real> &file, const Parameters &parameters,
                            grid::Host host);

} // namespace hybridfft::kspace
