#include "fftw3_mpi/handles.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace hybridfft::fftw3_mpi {

namespace {

/// Of plans that are alive at a time. Memory that no plan has used takes no room.
constexpr std::size_t capacity = std::size_t{1} << 20;

using Slot = std::atomic<Accelerated *>;

/// Lives until the process ends: programs destroy plans from destructors of static objects.
std::atomic<Slot *> table{nullptr};

struct Free {
  std::mutex mutex;
  std::vector<Slot *> slots;
  std::size_t never_used = 0;
};
Free &free_slots() {
  static auto *instance = new Free;
  return *instance;
}

Slot *take_slot() {
  Free &f = free_slots();
  const std::lock_guard lock(f.mutex);
  if (table == nullptr) table = static_cast<Slot *>(std::calloc(capacity, sizeof(Slot)));
  if (!f.slots.empty()) {
    Slot *slot = f.slots.back();
    f.slots.pop_back();
    return slot;
  }
  if (table == nullptr || f.never_used == capacity) return nullptr;
  return new (table + f.never_used++) Slot(nullptr);
}

} // namespace

bool room_for_handle() noexcept {
  Free &f = free_slots();
  const std::lock_guard lock(f.mutex);
  return !f.slots.empty() || f.never_used < capacity;
}

void *add_handle(std::unique_ptr<Accelerated> plan) {
  if (!plan) return nullptr;
  Slot *slot = take_slot();
  if (slot != nullptr) *slot = plan.release();
  return slot;
}

bool is_ours(const void *handle) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(table.load(std::memory_order_acquire));
  return reinterpret_cast<std::uintptr_t>(handle) - first < capacity * sizeof(Slot) && first != 0;
}

Accelerated *plan_of(const void *handle) noexcept {
  return is_ours(handle) ? static_cast<const Slot *>(handle)->load() : nullptr;
}

std::unique_ptr<Accelerated> remove_handle(const void *handle) {
  if (!is_ours(handle)) return nullptr;
  // The table is not const: handles are, as FFTW's functions take them.
  auto *slot = const_cast<Slot *>(static_cast<const Slot *>(handle));
  std::unique_ptr<Accelerated> plan(slot->exchange(nullptr));
  if (plan) {
    Free &f = free_slots();
    const std::lock_guard lock(f.mutex);
    f.slots.push_back(slot);
  }
  return plan;
}

} // namespace hybridfft::fftw3_mpi
