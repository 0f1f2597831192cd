/// Reads the scalars of an input file, and checks its arrays and the magnitudes of its numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solvers/kspace/base/parameters.h"
#include "solvers/kspace/files/input_file.h"

namespace hybridfft::kspace {

/// Reads and checks the scalars. Collective. Throws InputError for invalid values, and Unsupported
/// for valid physics that this version lacks.
Parameters read_parameters(const InputFile &file);

/// Checks every array used by the simulation: it must exist, have the expected number of values,
/// and be readable. Checks the ranges of scalar medium properties. Collective. Throws InputError or
/// io::IoError.
void require_arrays(const InputFile &file, const Parameters &parameters);

/// Returns the names of grid-sized arrays stored with the shape [Nx][Ny][Nz]. Collective.
std::vector<std::string> reversed_arrays(const InputFile &file, const Parameters &parameters);

/// Minimum number of fields of the whole grid: pressure, velocity, density, and the medium
/// properties that vary by point. Collective.
std::size_t number_of_fields(const InputFile &file, const Parameters &parameters);

/// Checks that the phases of the spectral operators are known to a radian. Collective.
///
/// Input files store numbers in single precision, with a relative error of 2^-24. The phase of the
/// operators at the Nyquist wave number k = pi/dx is c_ref k dt / 2. Above 2^24 rad its error
/// exceeds a radian, so the result would depend on rounding alone. The check assumes no units and
/// rejects no meaningful simulation.
/// \throws InputError if the phase of an axis with more than one point exceeds 2^24 rad; the
/// message names dx, dt or c_ref
void require_known_phases(const InputFile &file, const Parameters &parameters);

/// Checks that sound propagates within the simulated time. Collective.
/// \param max_speed largest sound speed of the medium, in m/s
/// \throws InputError
///  - if c_ref is below max_speed / 2^24 and sound crosses less than a grid point per step. Then
///    the k-space correction, 1 - sinc(c_ref k dt / 2), and the absorption of the PML vanish by
///    rounding, as for c_ref = 0;
///  - if the phase of sound at k = pi/dx changes by less than 2^-24 rad in all time steps together.
///    Then no wave propagates along this axis. The error names the spacing, or dt if this holds for
///    all axes.
void require_motion(const InputFile &file, const Parameters &parameters, double max_speed);

} // namespace hybridfft::kspace
