/// The picture of time series: curves, axes, legend, title.
#pragma once

#include <cstddef>
#include <string>

#include "io/image.h"
#include "support/view/axes.h"
#include "support/view/options.h"
#include "support/view/scale.h"
#include "support/view/series.h"

namespace hybridfft::tools::view {

constexpr std::size_t most_curves = 6; ///< with a colour each

/// The layout of the picture, and the scales of its axes.
struct CurveFrame {
  std::size_t width = 0; ///< width of the picture
  std::size_t height = 0;
  Rectangle plot;
  Axis time;  ///< from the first to the last value
  Axis value; ///< in `unit`
  Unit unit;
};

/// Works out axes that show all finite values, or the range that --min and --max give. Throws
/// std::invalid_argument when that range is empty.
CurveFrame lay_out(const Series &series, const Options &options);

/// Draws the curves, each finite value joined to the next; several have a legend with their places.
io::Image draw_curves(const Series &series, const CurveFrame &frame, const std::string &title);

/// Colour of curve n.
io::Colour curve_colour(std::size_t n);

} // namespace hybridfft::tools::view
