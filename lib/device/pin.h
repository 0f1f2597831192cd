/// Pins host memory, so a device can copy from and to it without the processor.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "device/runtime.h"

namespace hybridfft::device {

/// Keeps memory pinned while the object exists. The memory consists of whole pages, as PageMemory
/// and mappings allocate them.
class Pin {
public:
  Pin() = default;
  /// Pins the pages. An empty span pins nothing.
  Pin(Runtime &runtime, std::span<std::byte> pages) {
    if (pages.empty()) return;
    runtime.pin(pages.data(), pages.size());
    runtime_ = &runtime;
    memory_ = pages.data();
  }
  ~Pin() {
    if (runtime_ != nullptr) runtime_->unpin(memory_);
  }
  Pin(Pin &&other) noexcept
      : runtime_(std::exchange(other.runtime_, nullptr)), memory_(other.memory_) {}
  Pin &operator=(Pin &&other) noexcept {
    std::swap(runtime_, other.runtime_);
    std::swap(memory_, other.memory_);
    return *this;
  }

private:
  Runtime *runtime_ = nullptr;
  void *memory_ = nullptr;
};

} // namespace hybridfft::device
