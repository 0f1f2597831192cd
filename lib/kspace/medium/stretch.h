/// How a non-uniform grid is stretched.
#pragma once

#include <array>

#include "kspace/base/parameters.h"
#include "kspace/files/input_file.h"
#include "kspace/medium/axis_profile.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// How much wider than its neighbours a cell of a non-uniform grid is, as the derivatives of the
/// uniform coordinate that the file gives: factors of the derivatives, 1 on a uniform grid.
class Stretch : public StaggeredProfiles {
public:
  Stretch(const InputFile &file, const Parameters &parameters, const LocalGrid &local);
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
