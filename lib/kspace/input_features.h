/// The properties of an input file that decide the errors of local bases.
#pragma once

#include "hybridfft/grid/parallel_for.hpp"
#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/operators/basis_error.h"

namespace hybridfft::kspace {

/// Reads initial pressure and media along each axis, and signals of sources once. Ranks share the
/// work. Collective; the same on all ranks. Throws InputError or io::IoError.
template <class Real>
InputFeatures read_features(const InputFile<Real> &file, const Parameters &parameters,
                            grid::Host host);

} // namespace hybridfft::kspace
