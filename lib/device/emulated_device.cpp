#include "device/emulated_device.h"

#include "base/error.h"
#include "device/emulated_stream.h"

namespace hybridfft::device {

void refuse(const std::string &why) { throw Error(HFFT_ERROR_INTERNAL, "emulated device: " + why); }

EmulatedDevice::EmulatedDevice(const EmulatedOptions &options)
    : options_(options), fields_(options.bytes, Arena::Access::when_open),
      messages_(options.bytes, Arena::Access::always) {}

MemoryInfo EmulatedDevice::memory() const {
  const std::lock_guard lock(mutex_);
  return {options_.bytes, options_.bytes - taken_};
}

void *EmulatedDevice::allocate(Arena &arena, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const std::size_t free = options_.bytes - taken_;
  // Tested first, since numbers near the largest integer would overflow in Arena::taken().
  const bool fits = bytes <= free && Arena::taken(bytes) <= free;
  void *memory = fits ? arena.allocate(bytes) : nullptr;
  if (memory == nullptr)
    throw Error(HFFT_ERROR_OUT_OF_MEMORY,
                "memory of the emulated device: " + std::to_string(bytes) + " bytes wanted, " +
                    std::to_string(free) + " of " + std::to_string(options_.bytes) + " are free");
  taken_ += Arena::taken(bytes);
  return memory;
}

void EmulatedDevice::deallocate(void *memory) noexcept {
  if (memory == nullptr) return;
  await_streams();
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = fields_.deallocate(memory);
  taken_ -= bytes > 0 ? bytes : messages_.deallocate(memory);
}

void EmulatedDevice::pin(const void *memory, std::size_t bytes) {
  if (bytes > 0 && !pinned_.add(memory, bytes)) refuse("memory of the host is pinned twice");
}

void EmulatedDevice::unpin(const void *memory) noexcept { pinned_.remove(memory); }

bool EmulatedDevice::is_pinned(const void *memory, std::size_t bytes) const {
  return pinned_.contain(memory, bytes);
}

bool EmulatedDevice::has(const void *memory, std::size_t bytes) const {
  return fields_.meets(memory, bytes) || messages_.meets(memory, bytes);
}

void EmulatedDevice::check(const std::string &use, const void *memory, std::size_t bytes) const {
  for (const Arena *arena : {&fields_, &messages_}) {
    if (!arena->meets(memory, bytes)) continue;
    if (const std::string where = arena->fault(memory, bytes); !where.empty())
      refuse(use + ": " + std::to_string(bytes) + " bytes " + where);
  }
}

void EmulatedDevice::check_own(const std::string &use, const void *memory,
                               std::size_t bytes) const {
  if (!has(memory, bytes))
    refuse(use + ": " + std::to_string(bytes) + " bytes that are not the device's");
  check(use, memory, bytes);
}

void EmulatedDevice::check_damage() {
  for (Arena *arena : {&fields_, &messages_})
    if (const std::string damage = arena->damage(); !damage.empty()) refuse(damage);
}

void EmulatedDevice::fail(const std::string &why) {
  const std::lock_guard lock(mutex_);
  if (!failed_.exchange(true)) failure_ = why;
}

void EmulatedDevice::check_failure(const char *call) const {
  if (!failed_) return;
  const std::lock_guard lock(mutex_);
  refuse("work failed: " + failure_ + "; found by " + call);
}

unsigned EmulatedDevice::add(EmulatedStream &stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.insert(&stream);
  return streams_made_++;
}

void EmulatedDevice::remove(EmulatedStream &stream) noexcept {
  const std::lock_guard lock(streams_mutex_);
  streams_.erase(&stream);
}

void EmulatedDevice::await_streams() {
  const std::lock_guard lock(streams_mutex_);
  for (EmulatedStream *stream : streams_)
    stream->drain();
}

} // namespace hybridfft::device
