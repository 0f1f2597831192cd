/// Processors in the place of a device: for ranks without a GPU beside ranks with one.
#pragma once

#include <memory>

#include "device/runtime.h"

namespace hybridfft::device {

/// A device whose memory is the host's and whose work is done at once, by OpenMP threads of the
/// caller. Captures nothing.
std::unique_ptr<Runtime> make_host(int threads);

} // namespace hybridfft::device
