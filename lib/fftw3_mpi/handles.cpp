#include "fftw3_mpi/handles.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace hybridfft::fftw3_mpi {

namespace {

/// Maximum number of active plans. Unused slots take no memory.
constexpr std::size_t capacity = std::size_t{1} << 20;

using Slot = std::atomic<Accelerated *>;

/// Distance between handles in bytes, the alignment of FFTW's plans.
constexpr std::size_t handle_bytes = alignof(std::max_align_t);

/// Address of the first handle. Handles point to inaccessible memory: if one reaches FFTW despite
/// all checks, the program ends at once instead of continuing with untransformed data.
std::atomic<std::uintptr_t> first_handle{0};
/// Plan of each slot. The table is never freed, because static destructors may destroy plans.
Slot *table = nullptr;

/// Slots without a plan: released ones, and all slots from `never_used` on.
struct Free {
  std::mutex mutex;
  std::vector<std::size_t> slots;
  std::size_t never_used = 0;
};
Free &free_slots() {
  static auto *instance = new Free;
  return *instance;
}

/// Reserves the table and the range of handles on first use. Returns false if memory is not
/// available.
bool reserve() {
  if (first_handle.load(std::memory_order_relaxed) != 0) return true;
  if (table == nullptr) table = static_cast<Slot *>(std::calloc(capacity, sizeof(Slot)));
  if (table == nullptr) return false;
  void *addresses = mmap(nullptr, capacity * handle_bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (addresses == MAP_FAILED) return false;
  first_handle.store(reinterpret_cast<std::uintptr_t>(addresses), std::memory_order_release);
  return true;
}

/// Takes a free slot. Returns `capacity` if there is none.
std::size_t take_slot() {
  Free &f = free_slots();
  const std::lock_guard lock(f.mutex);
  if (!reserve()) return capacity;
  if (!f.slots.empty()) {
    const std::size_t slot = f.slots.back();
    f.slots.pop_back();
    return slot;
  }
  if (f.never_used == capacity) return capacity;
  new (table + f.never_used) Slot(nullptr);
  return f.never_used++;
}

/// Returns the slot of a handle, or `capacity` or more for other pointers.
std::size_t slot_of(const void *handle) noexcept {
  const std::uintptr_t first = first_handle.load(std::memory_order_acquire);
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(handle) - first;
  return first != 0 ? distance / handle_bytes : capacity;
}

} // namespace

bool room_for_handle() noexcept {
  Free &f = free_slots();
  const std::lock_guard lock(f.mutex);
  return reserve() && (!f.slots.empty() || f.never_used < capacity);
}

void *add_handle(std::unique_ptr<Accelerated> plan) {
  if (!plan) return nullptr;
  const std::size_t slot = take_slot();
  if (slot == capacity) return nullptr;
  table[slot] = plan.release();
  return reinterpret_cast<void *>(first_handle.load() + slot * handle_bytes);
}

bool is_ours(const void *handle) noexcept { return slot_of(handle) < capacity; }

Accelerated *plan_of(const void *handle) noexcept {
  const std::size_t slot = slot_of(handle);
  return slot < capacity ? table[slot].load() : nullptr;
}

std::unique_ptr<Accelerated> remove_handle(const void *handle) {
  const std::size_t slot = slot_of(handle);
  if (slot >= capacity) return nullptr;
  std::unique_ptr<Accelerated> plan(table[slot].exchange(nullptr));
  if (plan) {
    Free &f = free_slots();
    const std::lock_guard lock(f.mutex);
    f.slots.push_back(slot);
  }
  return plan;
}

} // namespace hybridfft::fftw3_mpi
