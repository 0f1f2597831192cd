/// The processors as a device, for ranks without a GPU beside ranks with one.
#pragma once

#include <memory>

#include "device/runtime.h"

namespace hybridfft::device {

/// A device in the host's memory. OpenMP threads of the caller do its work at once. capture()
/// returns nullptr.
std::unique_ptr<Runtime> make_host(int threads);

} // namespace hybridfft::device
