/// Reading of the scalars of an input file, and checks of its arrays and of the scales of its
/// numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"

namespace hybridfft::kspace {

/// Reads and checks them. Throws InputError for values that make no sense, and Unsupported for
/// physics that is right but not in this version. Collective.
template <class Real> Parameters read_parameters(const InputFile<Real> &file);

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

/// Input files hold numbers of single precision, which are known to a part in 2^24; no unit is
/// presumed. If a quantity of the scheme is beyond that, the result cannot depend on a dataset of
/// the file, or depends on its rounding only: no meaningful simulation is refused.
///
/// Throws InputError, which names dx, dt or c_ref, when along an axis of more than one point the
/// phase c_ref k dt / 2 of the operators at k = pi/dx is above 2^24 rad: a phase is then not known
/// to a radian.
template <class Real>
void require_known_phases(const InputFile<Real> &file, const Parameters &parameters);

/// Throws InputError
///  - for c_ref below max_speed / 2^24: 1 - sinc(c_ref k dt / 2) and the absorption of the PML are
///    then below the rounding wherever sound crosses less than a grid point in a step; it might as
///    well be 0;
///  - for the spacing of an axis of more than one point, or for dt, when within all time steps
///    sound changes its phase by less than 2^-24 rad even at k = pi/dx: nothing happens along this
///    axis, or along all of them.
/// \param max_speed largest sound speed of the medium, in m/s
template <class Real>
void require_motion(const InputFile<Real> &file, const Parameters &parameters, double max_speed);

} // namespace hybridfft::kspace
