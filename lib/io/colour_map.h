/// Colours for numbers.
#pragma once

#include <vector>

#include "io/image.h"

namespace hybridfft::io {

/// A map from numbers to colours.
enum class Colours {
  sequential, ///< black through blue, magenta and orange to light yellow
  diverging,  ///< blue through near white to red
  grey        ///< black to white
};

/// A path through the CIELAB space (CIE 15:2004, D65), walked at constant speed: equal steps of the
/// number are equal colour differences (CIE 1976). Lightness rises all along the sequential and the
/// grey map, and falls alike to both sides of the middle of the diverging one.
class ColourMap {
public:
  explicit ColourMap(Colours colours);
  /// Colour of t in 0..1; values outside get the end colours, NaN the first one.
  Colour operator()(double t) const;

private:
  std::vector<Colour> table_;
};

} // namespace hybridfft::io
