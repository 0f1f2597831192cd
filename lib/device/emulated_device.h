/// State shared by the streams, events and transforms of one emulated device.
#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "device/arena.h"
#include "device/emulated.h"

namespace hybridfft::device {

class EmulatedStream;

/// Memory, pinned ranges and failure of one emulated device. Thread-safe. Owned jointly by the
/// streams, events and transforms.
class EmulatedDevice {
public:
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY)
  explicit EmulatedDevice(const EmulatedOptions &options);

  const EmulatedOptions &options() const { return options_; }

  /// fields() is memory that only enqueued work may access; messages() is memory that MPI may
  /// access, too.
  Arena &fields() { return fields_; }
  Arena &messages() { return messages_; }
  /// Implement the members of Runtime; `arena` is fields() or messages().
  void *allocate(Arena &arena, std::size_t bytes);
  void deallocate(void *memory) noexcept;
  MemoryInfo memory() const;

  /// Implement the members of Runtime; is_pinned() is true if all the bytes are pinned.
  void pin(const void *memory, std::size_t bytes);
  void unpin(const void *memory) noexcept;
  bool is_pinned(const void *memory, std::size_t bytes) const;

  /// True if any of these bytes belongs to the device.
  bool has(const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) if some of these bytes belong to the device, but not all of
  /// them lie in one allocation.
  /// \param use purpose of the bytes, for error messages
  void check(const std::string &use, const void *memory, std::size_t bytes) const;
  /// Like check(), but also throws if none of the bytes belongs to the device.
  void check_own(const std::string &use, const void *memory, std::size_t bytes) const;
  /// Throws Error(HFFT_ERROR_INTERNAL) if work wrote just outside of an allocation.
  void check_damage();

  /// Records a failure of enqueued work, after which no work runs.
  void fail(const std::string &why);
  bool failed() const { return failed_; }
  /// Throws Error(HFFT_ERROR_INTERNAL) if enqueued work has failed.
  /// \param call name of the calling function, for the message
  void check_failure(const char *call) const;

  /// Register a stream, whose number is returned, and remove it. Called by the stream's constructor
  /// and destructor.
  unsigned add(EmulatedStream &stream);
  void remove(EmulatedStream &stream) noexcept;

private:
  void await_streams();

  EmulatedOptions options_;
  Arena fields_, messages_;
  std::atomic<bool> failed_{false};

  AddressRanges pinned_;

  mutable std::mutex mutex_; ///< guards taken_ and failure_
  std::size_t taken_ = 0;    ///< bytes used in both arenas
  std::string failure_;

  std::mutex streams_mutex_; ///< guards streams_ and streams_made_
  std::set<EmulatedStream *> streams_;
  unsigned streams_made_ = 0;
};

/// Throws Error(HFFT_ERROR_INTERNAL).
[[noreturn]] void refuse(const std::string &why);

} // namespace hybridfft::device
