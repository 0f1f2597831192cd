/// An emulated device for tests on machines without a GPU. Host threads execute its streams, in
/// memory that other code of the host cannot access. It tests everything except CUDA's own calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/runtime.h"

namespace hybridfft::device {

/// Options of the emulated device, from HFFT_GPU or from tests.
struct EmulatedOptions {
  std::size_t bytes = std::size_t{4} << 30; ///< memory of the device per process
  int devices = 1;                          ///< number of devices on a node
  /// Seed of random delays before enqueued work runs; unset: no delays. Meanwhile the target of a
  /// copy to the host holds NaN, so a missing event or synchronize() causes a wrong result.
  std::optional<std::uint64_t> delays = {};
  /// Key of exclusive devices; unset: not exclusive. Each device with this key on a node serves one
  /// runtime at a time, as GPUs in the compute mode 'exclusive' serve one process.
  std::optional<std::uint64_t> exclusive = {};
  /// false: capture() returns nullptr, as CUDA's does for calls that it cannot capture
  bool graphs = true;
};

/// Reads options from a value of HFFT_GPU: "emulated", or
/// "emulated:memory=MiB,devices=N,delays=SEED,exclusive=KEY" with any of the four.
/// \throws Error(HFFT_ERROR_ENVIRONMENT) with the value found and the values expected
EmulatedOptions emulated_options(const std::string &value);

/// Opens device number (rank_on_node modulo options.devices). Of exclusive devices, opens the first
/// free one from this number on.
///
/// Besides the contract of Runtime, the emulated device detects errors that CUDA may not report:
/// - The host cannot access the device's memory (SIGSEGV) while no enqueued work runs.
/// - Memory holds NaN until it is written, and again after it is freed.
/// - Copies, clear() and transforms throw Error(HFFT_ERROR_INTERNAL) for addresses outside one
///   allocation. synchronize() finds writes just outside an allocation; AddressSanitizer finds them
///   at once.
/// - A capture fails for the same calls as CUDA's: copies of memory that is not pinned, waiting by
///   the host, events from outside the capture, and work of other streams for which the captured
///   stream does not wait.
/// After a failure no more work runs, as on a GPU, and all calls of streams and events throw.
/// Unlike on a GPU, the stream that launches a graph runs all of its work in the order of
/// enqueuing. Events that are missing in a graph are therefore detected only in a run without
/// graphs.
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) if the system has no address space for the memory
/// \throws Error(HFFT_ERROR_UNSUPPORTED) if no device is free
std::unique_ptr<Runtime> make_emulated(const EmulatedOptions &options, int rank_on_node = 0);

} // namespace hybridfft::device
