/// Checks that the scales of a simulation (dx, dt, c_ref, the medium) fit each other.
#pragma once

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"

namespace hybridfft::kspace {

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
