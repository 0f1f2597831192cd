/// Animations of time series on the grid.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/hdf5.h"
#include "support/view/options.h"
#include "support/view/scale.h"

namespace hybridfft::tools::view {

struct Animation {
  std::size_t frames = 0;
  std::size_t width = 0; ///< pixels
  std::size_t height = 0;
  Scale scale;             ///< the same for all frames
  std::string first, last; ///< as moment_text() has it
};

/// Draws options.frames pictures, evenly spread over the rows of a time series from the first to
/// the last one, into the file options.output; all of them with the colours of the extremes of them
/// all, or of --min and --max. `file` and `other` are as in read_plane(). Throws as that does, and
/// for a dataset with fewer rows than frames.
Animation draw_animation(const io::File &file, const io::File &other, const Options &options);

} // namespace hybridfft::tools::view
