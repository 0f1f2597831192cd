/// Reading of the scalars of an input file.
#pragma once

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"

namespace hybridfft::kspace {

/// Reads and checks them. Throws InputError for values that make no sense, and Unsupported for
/// physics that is right but not in this version. Collective.
template <class Real> Parameters read_parameters(const InputFile<Real> &file);

} // namespace hybridfft::kspace
