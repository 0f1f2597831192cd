/// Messages between devices by NCCL, from its shared library.
#pragma once

#include <memory>
#include <string>

#include "device/runtime.h"

namespace hybridfft::device::cuda {

/// False where this library was built without NCCL's header, or NCCL cannot be loaded.
bool has_nccl();

/// See Runtime::make_peers_id(). Empty without NCCL.
std::string make_nccl_id();

/// See Runtime::join_peers(). Uses the current device. Throws Error(HFFT_ERROR_UNSUPPORTED) with
/// NCCL's reason where the ranks cannot be joined; it refuses two ranks on one device.
std::unique_ptr<Peers> join_nccl(const std::string &id, int rank, int size);

} // namespace hybridfft::device::cuda
