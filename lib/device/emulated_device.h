/// State that the streams, events and transforms of one emulated device share.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "device/address_ranges.h"
#include "device/arena.h"
#include "device/emulated.h"

namespace hybridfft::device {

class EmulatedStream;

/// Thread-safe. Streams, events and transforms share its ownership.
class EmulatedDevice {
public:
  /// Throws Error(HFFT_ERROR_OUT_OF_MEMORY).
  explicit EmulatedDevice(const EmulatedOptions &options);

  const EmulatedOptions &options() const { return options_; }

  /// Memory that work alone may touch, and memory that MPI may touch, too.
  Arena &fields() { return fields_; }
  Arena &messages() { return messages_; }
  /// As those of Runtime; `arena` is fields() or messages().
  void *allocate(Arena &arena, std::size_t bytes);
  void deallocate(void *memory) noexcept;
  MemoryInfo memory() const;

  /// As those of Runtime; is_pinned() is true if all the bytes are in pinned memory.
  void pin(const void *memory, std::size_t bytes);
  void unpin(const void *memory) noexcept;
  bool is_pinned(const void *memory, std::size_t bytes) const;

  /// True if any of these bytes is the device's.
  bool has(const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) when some of these bytes are the device's, but not all are
  /// in one allocation. \param use purpose of the bytes, for error messages
  void check(const std::string &use, const void *memory, std::size_t bytes) const;
  /// The same, and when none is the device's.
  void check_own(const std::string &use, const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) when work wrote just outside of an allocation.
  void check_damage();

  /// Called when work failed: from now on no work is done.
  void fail(const std::string &why);
  bool failed() const { return failed_; }
  /// Throws Error(HFFT_ERROR_INTERNAL) when work failed. \param call which found it
  void check_failure(const char *call) const;

  /// Registers a stream and returns its number, or removes one; called by the stream's constructor
  /// and destructor.
  unsigned add(EmulatedStream &stream);
  void remove(EmulatedStream &stream) noexcept;

private:
  void await_streams();

  EmulatedOptions options_;
  Arena fields_, messages_;
  std::atomic<bool> failed_{false};

  AddressRanges pinned_;

  mutable std::mutex mutex_; ///< guards the next two
  std::size_t taken_ = 0;    ///< bytes of both arenas
  std::string failure_;

  std::mutex streams_mutex_; ///< guards the next two
  std::set<EmulatedStream *> streams_;
  unsigned streams_made_ = 0;
};

/// Throws Error(HFFT_ERROR_INTERNAL).
[[noreturn]] void refuse(const std::string &why);

} // namespace hybridfft::device
