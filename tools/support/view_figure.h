/// The picture: plane, axes, colour bar, title.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "io/image.h"
#include "support/view_axes.h"
#include "support/view_plane.h"
#include "support/view_scale.h"

namespace hybridfft::tools::view {

/// Where things are in the picture.
struct Frame {
  std::size_t width = 0; ///< of the picture
  std::size_t height = 0;
  std::size_t across = 1; ///< pixels of one value, left to right
  std::size_t up = 1;     ///< bottom to top
  Rectangle plot;         ///< value (0, 0) is at its lower left
  Rectangle bar;          ///< last colour at the upper end
};

/// Lays the picture out. Values are drawn as wide and high as they are apart on the grid, to the
/// nearest pixel; `pixels_per_point` of them for the smaller distance, by default as many as make
/// the longer side about 600 pixels. Throws std::invalid_argument when the picture would have more
/// than 2^31 pixels.
Frame lay_out(const Plane &plane, std::optional<std::int64_t> pixels_per_point);

/// Draws the figure; NaN is grey.
io::Image draw_figure(const Plane &plane, const Scale &scale, const Frame &frame,
                      const std::string &title);

} // namespace hybridfft::tools::view
