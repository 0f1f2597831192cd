/// Numbers in messages and in the extents of datasets.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>

namespace hybridfft::levelset {

/// "0.25", "1500", "1e-07": up to nine digits.
inline std::string text(double value) {
  std::ostringstream stream;
  stream.precision(9);
  stream << value;
  return stream.str();
}

/// An extent or an offset of a dataset.
inline std::size_t unsigned_of(std::ptrdiff_t n) { return static_cast<std::size_t>(n); }

} // namespace hybridfft::levelset
