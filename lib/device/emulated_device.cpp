#include <algorithm>

#include "base/error.h"
#include "device/emulated_stream.h"

namespace hybridfft::device {

EmulatedDevice::EmulatedDevice(const EmulatedOptions &options)
    : options_(options), fields_(options.bytes, Arena::Access::when_open),
      messages_(options.bytes, Arena::Access::always) {}

MemoryInfo EmulatedDevice::memory() const {
  const std::lock_guard lock(mutex_);
  return {options_.bytes, options_.bytes - taken_};
}

void *EmulatedDevice::allocate(Arena &from, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  const std::size_t free = options_.bytes - taken_;
  // Numbers near the largest would overflow when they are rounded up.
  void *memory = bytes <= free && Arena::taken(bytes) <= free ? from.allocate(bytes) : nullptr;
  if (memory == nullptr)
    throw Error(HFFT_ERROR_OUT_OF_MEMORY,
                "memory of the emulated device: " + std::to_string(bytes) + " bytes wanted, " +
                    std::to_string(free) + " of " + std::to_string(options_.bytes) + " are free");
  taken_ += Arena::taken(bytes);
  return memory;
}

void EmulatedDevice::deallocate(void *memory) noexcept {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex_);
  for (EmulatedStream *stream : streams_)
    stream->drain();
  const std::size_t bytes = fields_.deallocate(memory);
  taken_ -= bytes > 0 ? bytes : messages_.deallocate(memory);
}

void EmulatedDevice::pin(void *memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > 0) pinned_[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
}

void EmulatedDevice::unpin(void *memory) noexcept {
  const std::lock_guard lock(mutex_);
  pinned_.erase(reinterpret_cast<std::uintptr_t>(memory));
}

bool EmulatedDevice::has(const void *memory, std::size_t bytes) const {
  return fields_.meets(memory, bytes) || messages_.meets(memory, bytes);
}

bool EmulatedDevice::is_pinned(const void *memory, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  auto next = pinned_.upper_bound(first);
  if (next == pinned_.begin()) return false;
  --next;
  return first + bytes <= next->first + next->second;
}

void EmulatedDevice::check(const std::string &what, const void *memory, std::size_t bytes) const {
  for (const Arena *arena : {&fields_, &messages_}) {
    if (!arena->meets(memory, bytes)) continue;
    const std::string fault = arena->fault(memory, bytes);
    if (!fault.empty())
      throw Error(HFFT_ERROR_INTERNAL,
                  "emulated device: " + what + " of " + std::to_string(bytes) + " bytes " + fault);
  }
}

void EmulatedDevice::check_own(const std::string &what, const void *memory,
                               std::size_t bytes) const {
  if (!has(memory, bytes))
    throw Error(HFFT_ERROR_INTERNAL, "emulated device: " + what + " of " + std::to_string(bytes) +
                                         " bytes that are not the device's");
  check(what, memory, bytes);
}

void EmulatedDevice::check_damage() {
  for (Arena *arena : {&fields_, &messages_})
    if (const std::string damage = arena->damage(); !damage.empty())
      throw Error(HFFT_ERROR_INTERNAL, "emulated device: " + damage);
}

unsigned EmulatedDevice::add(EmulatedStream &stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert(&stream);
  return streams_made_++;
}

void EmulatedDevice::remove(EmulatedStream &stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
}

} // namespace hybridfft::device
