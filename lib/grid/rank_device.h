/// The device that a rank computes on.
#pragma once

#include <memory>

#include "device/runtime.h"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// Ranks of a node get its devices in turn. Collective. Throws Error(HFFT_ERROR_UNSUPPORTED) on all
/// ranks when one has none.
std::unique_ptr<device::Runtime> open_device(const Communicator &comm);

/// The same on nodes that have more ranks than devices: ranks beyond the number of devices compute
/// on `threads` processors. Collective. Throws also if no rank has a device, or none has none.
std::unique_ptr<device::Runtime> open_device_or_processors(const Communicator &comm, int threads);

/// The sum over the ranks that use the same device. Collective.
double sum_of_device(const Communicator &comm, const device::Runtime &runtime, double mine);

} // namespace hybridfft::grid
