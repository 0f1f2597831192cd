/// Options of the device that computes a simulation.
#pragma once

#include "grid/device_messages.h"

namespace hybridfft::kspace {

/// The options of simulations on GPUs.
struct DeviceOptions {
  bool gpu = false;        ///< else the processors
  bool processors = false; ///< with gpu: also processors, on ranks beyond the number of GPUs
  /// The transport of messages between GPUs of different ranks.
  grid::Transport transport = grid::Transport::automatic;
  bool timed = false; ///< waits for each kernel and measures its time
};

} // namespace hybridfft::kspace
