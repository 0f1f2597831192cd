/// FFTs of plans between layouts that leave modes out: arrays have the modes that are kept, and
/// the passes all bins of the FFT.
#pragma once

#include <memory>
#include <vector>

#include "layout/kept_modes.h"
#include "local/pass.h"

namespace hybridfft::plan {

/// The modes of the axis that an FFT transforms, where some are left out.
struct PrunedAxis {
  KeptModes modes;
  bool spectrum_in = false; ///< they are read, not written
};

/// What the FFT reads and writes, and where zeros belong that it does not write.
struct PrunedSides {
  SplitRows source, destination;
  std::vector<SplitRows> cleared;
};
PrunedSides with_all_bins(const PrunedAxis &axis, const SplitRows &source,
                          const SplitRows &destination);

} // namespace hybridfft::plan
