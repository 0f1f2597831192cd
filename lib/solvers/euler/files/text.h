/// Names of fields and texts of numbers, for files and messages.
#pragma once

#include <string>
#include <vector>

#include "io/xdmf_text.h"

namespace hybridfft::euler {

using io::number_text;

/// Returns the names of the fields: rho, u, v[, w], p.
inline std::vector<std::string> field_names(int dimensions) {
  if (dimensions == 2) return {"rho", "u", "v", "p"};
  return {"rho", "u", "v", "w", "p"};
}

} // namespace hybridfft::euler
