/// Ranks whose devices send each other their memory by themselves.
#pragma once

#include <memory>

#include "device/runtime.h"
#include "exchange/communicator.h"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// The peers of a communicator, which take memory of the device and time to find each other, and
/// the stream that all their messages are in, in the order that all ranks start them in.
struct PeerGroup {
  device::Runtime *runtime;
  std::shared_ptr<exchange::Communicator> comm;
  std::unique_ptr<device::Peers> peers;
  std::unique_ptr<device::Stream> wire;
};

/// The group that others use by now, or a new one when none is left. Collective. Throws
/// Error(HFFT_ERROR_UNSUPPORTED) on all ranks if the ranks cannot be joined, with the reason.
std::shared_ptr<PeerGroup> group_of(const Communicator &comm, device::Runtime &runtime);

} // namespace hybridfft::grid
