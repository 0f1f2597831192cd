/// Formats numbers of bytes.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace hybridfft::tools {

/// Formats "1.5 GiB", with four digits.
inline std::string bytes_text(double bytes) {
  const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024. && unit + 1 < std::size(units); ++unit)
    bytes /= 1024.;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", bytes, units[unit]);
  return text;
}

} // namespace hybridfft::tools
