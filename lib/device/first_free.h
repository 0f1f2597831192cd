/// The choice of a device where processes may have devices for themselves.
#pragma once

#include <string>

namespace hybridfft::device {

/// Opens the first device that is free, from that of a rank's place on its node on, each once.
/// \param open opens a device by its number; nullptr if another process has it for itself
/// \return nullptr if none is free
template <class Open> auto open_first_free(int rank_on_node, int devices, const Open &open) {
  auto opened = open(rank_on_node % devices);
  for (int next = 1; opened == nullptr && next < devices; ++next)
    opened = open((rank_on_node + next) % devices);
  return opened;
}

/// "tried 2, of which each lets one process use it; expected ...", for errors.
inline std::string none_is_free(int devices) {
  return "tried " + std::to_string(devices) +
         ", of which each lets one process use it, and other processes use them; expected at most "
         "one rank for each that is free";
}

} // namespace hybridfft::device
