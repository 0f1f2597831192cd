/// Numbers in messages.
#pragma once

#include <sstream>
#include <string>

namespace hybridfft::elastic {

/// "0.25", "1500", "1e-07": up to nine digits.
inline std::string text(double value) {
  std::ostringstream stream;
  stream.precision(9);
  stream << value;
  return stream.str();
}

} // namespace hybridfft::elastic
