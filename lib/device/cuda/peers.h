/// Messages between GPUs of different ranks by NCCL, loaded at run time.
#pragma once

#include <memory>
#include <string>

#include "device/runtime.h"

namespace hybridfft::device::cuda {

/// False if this library was built without NCCL's header or NCCL cannot be loaded.
bool has_nccl();

/// See Runtime::make_peers_id(). Empty without NCCL.
std::string make_nccl_id();

/// See Runtime::join_peers(). Uses the current device.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) with NCCL's reason if the ranks cannot be joined; NCCL
/// refuses two ranks on one device
std::unique_ptr<Peers> join_nccl(const std::string &id, int rank, int size);

} // namespace hybridfft::device::cuda
