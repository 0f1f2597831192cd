/// The metric of non-uniform grids.
#pragma once

#include <array>

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/medium/axis_profile.h"

namespace hybridfft::kspace {

/// The derivatives dxudxn, dyudyn, dzudzn of the uniform coordinates by the non-uniform ones, as
/// the input file gives them at the points of the pressure and of the velocity: dimensionless
/// factors of the derivatives along each axis, 1 on a uniform grid.
template <class Real> class GridMetric : public StaggeredProfiles<Real> {
public:
  GridMetric(const InputFile<Real> &file, const Parameters &parameters, const LocalGrid &local);
};

} // namespace hybridfft::kspace
