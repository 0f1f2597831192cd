/// The emulated device. Threads of the host do the work of streams, in memory that other code of
/// the host cannot access. It tests everything except CUDA's own calls on machines without a GPU.
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
  /// Seed of random delays before work is done. During the delay the target of a copy to the host
  /// holds NaN. A missing event or synchronize() thus becomes a wrong result.
  std::optional<std::uint64_t> delays = {};
  /// Key of exclusive devices. Each device of this key on a node serves one runtime at a time, as
  /// GPUs in the compute mode 'exclusive' serve one process.
  std::optional<std::uint64_t> exclusive = {};
  /// false: capture() returns nullptr, like CUDA's for unsupported calls
  bool graphs = true;
};

/// Reads options from a value of HFFT_GPU: "emulated", or
/// "emulated:memory=MiB,devices=N,delays=SEED,exclusive=KEY" with any of the four.
/// \throws Error(HFFT_ERROR_ENVIRONMENT) with the found and the expected values
EmulatedOptions emulated_options(const std::string &value);

/// Opens device number (rank_on_node modulo options.devices). For exclusive devices it opens the
/// first free one from this number on.
///
/// Beyond the contract of Runtime it detects errors that CUDA leaves to chance or to
/// compute-sanitizer:
/// - The host cannot access the device's memory (SIGSEGV) while no work is being done.
/// - Memory is NaN until it is written, and again after it was freed.
/// - Copies, clear() and transforms throw Error(HFFT_ERROR_INTERNAL) for addresses outside of one
///   allocation. synchronize() finds writes of work just outside of an allocation; AddressSanitizer
///   finds them at once.
/// - A capture refuses the same calls as CUDA's: copies of memory that is not pinned, waiting by
///   the host, events from outside, and work of other streams for which the captured one does not
///   wait.
/// After a failure no more work is done, as on a GPU, and all calls of streams and events throw.
/// Unlike on a GPU, the stream that launches a graph does all of its work in the order of
/// enqueuing. Missing events in a graph therefore show in a run without graphs only.
/// \throws Error(HFFT_ERROR_OUT_OF_MEMORY) if the system has no address space for the memory
/// \throws Error(HFFT_ERROR_UNSUPPORTED) if no device is free
std::unique_ptr<Runtime> make_emulated(const EmulatedOptions &options, int rank_on_node = 0);

} // namespace hybridfft::device
