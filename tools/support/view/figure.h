/// The picture: plane, marks, notes, axes, colour bar, title, legend, captions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/image.h"
#include "support/view/axes.h"
#include "support/view/marks.h"
#include "support/view/options.h"
#include "support/view/plane.h"
#include "support/view/scale.h"

namespace hybridfft::tools::view {

/// The parts of a figure in addition to the values.
struct Remarks {
  std::string title;
  std::vector<Mark> marks;
  std::vector<Note> notes;
  std::vector<std::string> captions; ///< lines below the picture
};

/// The layout of the picture.
struct Frame {
  std::size_t width = 0; ///< width of the picture
  std::size_t height = 0;
  std::size_t across = 1; ///< pixels of one value, left to right
  std::size_t up = 1;     ///< bottom to top
  Rectangle plot;         ///< value (0, 0) is at its lower left
  Rectangle bar;          ///< last colour at the upper end
};

/// Lays the picture out. Values are drawn as wide and high as they are apart on the grid, to the
/// nearest pixel; `pixels_per_point` of them for the smaller distance, by default as many as make
/// the longer side about 800 pixels. Throws std::invalid_argument when the picture would have more
/// than 2^31 pixels.
Frame lay_out(const Plane &plane, std::optional<std::int64_t> pixels_per_point,
              const Remarks &remarks = {});

/// Draws the figure; NaN is grey. A legend explains marks and grey; the ends of the colour bar are
/// pointed where values lie beyond them.
io::Image draw_figure(const Plane &plane, const Scale &scale, const Frame &frame,
                      const Remarks &remarks, Interpolation interpolation = Interpolation::smooth);

/// The plane between its values, which lie at whole numbers (i, j): cubic (Catmull and Rom, 1974)
/// along both axes, within the range of the four values around, so that no value is larger or
/// smaller than what was recorded. Next to a NaN it is the nearest value.
float interpolate(const Plane &plane, double i, double j);

/// Colours that such figures are made of, for the palette of an animation.
std::vector<io::Colour> figure_colours(const Scale &scale);

} // namespace hybridfft::tools::view
