/// The acoustic fields of a simulation.
#pragma once

#include <array>

#include "kspace/base/field.h"

namespace hybridfft::kspace {

/// The density is split by direction for the PML; velocities live half a cell ahead along their own
/// axis and half a time step behind. The third component of velocity and density is empty in two
/// dimensions.
template <class Real> struct State {
  State(const LocalGrid &local, const Exec &exec);

  Field<Real> pressure;                ///< Pa
  std::array<Field<Real>, 3> velocity; ///< m/s
  std::array<Field<Real>, 3> density;  ///< kg/m^3, the disturbance; the components add up
};

} // namespace hybridfft::kspace
