/// The device used by a rank.
#pragma once

#include <memory>

#include "device/runtime.h"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// Distributes a node's devices to its ranks in turn. Collective.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks if one has no device
std::unique_ptr<device::Runtime> open_device(const Communicator &comm);

/// Does the same for nodes with more ranks than devices. Ranks beyond the number of devices compute
/// on `threads` processors. Collective. Also throws if no rank, or every rank, has a device.
std::unique_ptr<device::Runtime> open_device_or_processors(const Communicator &comm, int threads);

/// Returns the sum over the ranks on the same device. Collective.
double sum_of_device(const Communicator &comm, const device::Runtime &runtime, double mine);

} // namespace hybridfft::grid
