/// The host's processors as a device, for ranks without a GPU in simulations that also use GPUs.
#pragma once

#include <memory>

#include "device/runtime.h"

namespace hybridfft::device {

/// Returns a device in the host's memory. OpenMP threads of the caller run its work at once, within
/// each call. capture() returns nullptr.
std::unique_ptr<Runtime> make_host(int threads);

} // namespace hybridfft::device
