/// Formats numbers for messages and attributes.
#pragma once

#include <sstream>
#include <string>

namespace hybridfft::io {

/// Formats "0.25", "1500", "1e-07": up to nine digits.
inline std::string number_text(double value) {
  std::ostringstream stream;
  stream.precision(9);
  stream << value;
  return stream.str();
}

} // namespace hybridfft::io
