/// The emulated device: threads of the host do the work of streams, in memory that other code of
/// the host cannot touch. With it everything but CUDA's own calls is tested where there is no GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "device/runtime.h"

namespace hybridfft::device {

/// Options of the emulated device, from HFFT_GPU or given by tests.
struct EmulatedOptions {
  std::size_t bytes = std::size_t{4} << 30; ///< memory of the device, for each process that uses it
  int devices = 1;                          ///< number of devices on a node
  /// With a seed, work waits for random times before it is done, and memory of the host that a copy
  /// will fill holds NaN until then: an event or a synchronize() that is missing becomes an error.
  std::optional<std::uint64_t> delays = {};
  /// With a key, each device of this key on a node serves one runtime at a time: as GPUs in the
  /// compute mode 'exclusive' serve one process.
  std::optional<std::uint64_t> exclusive = {};
  bool graphs = true; ///< false: capture() returns nullptr, as CUDA's where it cannot capture
};

/// Options from a value of HFFT_GPU: "emulated", or
/// "emulated:memory=MiB,devices=N,delays=SEED,exclusive=KEY" with any of the four. Throws
/// Error(HFFT_ERROR_ENVIRONMENT) with the value found and those expected.
EmulatedOptions emulated_options(const std::string &value);

/// Device number (rank_on_node modulo options.devices), or of exclusive ones the first free one
/// from there on. Throws Error(HFFT_ERROR_OUT_OF_MEMORY) when the system has no address space for
/// its memory; Error(HFFT_ERROR_UNSUPPORTED) when none is free.
///
/// Beyond what Runtime promises, errors are found that CUDA leaves to chance or to
/// compute-sanitizer:
/// - The host cannot touch the device's memory (SIGSEGV) while no work is being done.
/// - Memory is NaN until it is written, and again after it was given back.
/// - Copies, clear() and transforms throw Error(HFFT_ERROR_INTERNAL) for addresses outside of one
///   allocation; writes of work just outside of one are found by synchronize(), by AddressSanitizer
///   at once.
/// - A capture refuses the same as CUDA's: copies of memory that is not pinned, waiting by the
///   host, events from outside, and work of other streams for which the captured one does not wait.
/// No more work is done once some has failed, as on a GPU, and all calls of streams and events
/// throw. Other than on a GPU, the stream that launches a graph does all of its work, in the order
/// in which it was enqueued: it takes a run without graphs to see that events are missing there.
std::unique_ptr<Runtime> make_emulated(const EmulatedOptions &options, int rank_on_node = 0);

} // namespace hybridfft::device
