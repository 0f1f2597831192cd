/// Reading of the scalars of an input file.
#pragma once

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Reads and checks them. Throws InputError for values that make no sense, and Unsupported for
/// physics that is right but not in this version. Collective.
Parameters read_parameters(const InputFile &file);

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
