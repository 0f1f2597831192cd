/// The metric of non-uniform grids.
#pragma once

#include <array>

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/medium/axis_profile.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// The derivatives dxudxn, dyudyn, dzudzn of the uniform coordinates by the non-uniform ones, as
/// the input file gives them at the points of the pressure and of the velocity: dimensionless
/// factors of the derivatives along each axis, 1 on a uniform grid.
class GridMetric : public StaggeredProfiles {
public:
  GridMetric(const InputFile &file, const Parameters &parameters, const LocalGrid &local);
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
