/// Chooses a free device if each serves only one process at a time.
#pragma once

#include <string>

namespace hybridfft::device {

/// Opens the first free device, starting at number (rank_on_node modulo devices). Tries each device
/// once.
/// \param open opens a device by its number; returns nullptr if another process uses the device
/// exclusively
/// \return nullptr if no device is free
template <class Open> auto open_first_free(int rank_on_node, int devices, const Open &open) {
  auto opened = open(rank_on_node % devices);
  for (int next = 1; opened == nullptr && next < devices; ++next)
    opened = open((rank_on_node + next) % devices);
  return opened;
}

/// Formats "tried 2, of which each lets one process use it; expected ..." for error messages.
inline std::string none_is_free(int devices) {
  return "tried " + std::to_string(devices) +
         ", of which each lets one process use it, and other processes use them; expected at most "
         "one rank for each that is free";
}

} // namespace hybridfft::device
