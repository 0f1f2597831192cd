/// Ranks whose devices exchange memory directly.
#pragma once

#include <memory>

#include "device/runtime.h"
#include "exchange/communicator.h"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// The ranks joined by NCCL, and one stream for all their messages. All ranks start messages in the
/// same order. A group takes device memory, and time to connect.
struct PeerGroup {
  device::Runtime *runtime;
  std::shared_ptr<exchange::Communicator> comm;
  std::unique_ptr<device::Peers> peers;
  std::unique_ptr<device::Stream> wire;
};

/// Returns the group in use, or a new one if there is none. Collective.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks, with the reason, if the ranks cannot be
/// joined
std::shared_ptr<PeerGroup> group_of(const Communicator &comm, device::Runtime &runtime);

} // namespace hybridfft::grid
