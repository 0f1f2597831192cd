/// Checks of an input before memory is allocated and transforms are planned.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"

namespace hybridfft::kspace {

/// Throws InputError or io::IoError unless every array that the simulation will read is there, has
/// its number of values, and can be read; properties of the medium that are scalars are in their
/// range. Collective.
template <class Real>
void require_arrays(const InputFile<Real> &file, const Parameters &parameters);

/// Names of the arrays of the whole grid with the shape [Nx][Ny][Nz]. Collective.
template <class Real>
std::vector<std::string> reversed_arrays(const InputFile<Real> &file, const Parameters &parameters);

/// Number of fields of the whole grid that the simulation cannot do without: pressure, velocity,
/// density, and the properties of the medium that vary by point. Collective.
template <class Real>
std::size_t number_of_fields(const InputFile<Real> &file, const Parameters &parameters);

} // namespace hybridfft::kspace
