/// Names and numbers in files and messages.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace hybridfft::euler {

/// "0.25", "1500", "1e-07": up to nine digits.
inline std::string number_text(double value) {
  std::ostringstream stream;
  stream.precision(9);
  stream << value;
  return stream.str();
}

/// rho, u, v[, w], p.
inline std::vector<std::string> field_names(int dimensions) {
  if (dimensions == 2) return {"rho", "u", "v", "p"};
  return {"rho", "u", "v", "w", "p"};
}

} // namespace hybridfft::euler
