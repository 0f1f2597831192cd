/// Text in pictures, by a font of smooth strokes.
#pragma once

#include <optional>
#include <string_view>

#include "io/image.h"

namespace hybridfft::io {

/// The place of a given point within the text, along the text's direction.
enum class Align { left, middle, right };
enum class Direction { rightwards, upwards };

/// UTF-8: printable ASCII, the micro and multiplication signs, the middle dot, superscripts 2 and
/// 3; anything else is drawn as an empty box. `size` is the height of a capital letter in pixels.
struct TextStyle {
  double size = 12.;
  Colour colour{};
  Align align = Align::left; ///< place of the given point in the text
  Direction direction = Direction::rightwards;
  std::optional<Colour> halo{}; ///< behind the strokes, where the text lies on a picture
};

/// Length of the text along its direction, pixels.
double text_width(std::string_view text, double size);

/// Draws text whose baseline goes through (x, y).
void draw_text(Image &image, double x, double y, std::string_view text, const TextStyle &style);

} // namespace hybridfft::io
