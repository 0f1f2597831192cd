#include "fftw3_mpi/handles.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/mpi.h"
#include "fftw3_mpi/fallback.h"
#include "fftw3_mpi/log.h"

namespace hybridfft::fftw3_mpi {

Accelerated::Accelerated(std::unique_ptr<plan::Plan> made) : plan(std::move(made)) {
  for (const profile::Stage &s : plan->stages()) {
    flops += s.flops;
    bytes += s.bytes;
  }
}

std::unique_ptr<Accelerated> make_transform(MPI_Comm comm,
                                            const std::function<plan::Arguments()> &arguments) {
  const auto problem = [&](int ranks) { return plan::check(arguments(), ranks); };
  return std::make_unique<Accelerated>(plan::create(comm, {std::cref(problem)}));
}

std::unique_ptr<Accelerated>
make_transposition(MPI_Comm comm, const std::function<plan::TranspositionArguments()> &arguments) {
  const auto problem = [&](int ranks) { return plan::check(arguments(), ranks); };
  return std::make_unique<Accelerated>(plan::create(comm, {std::cref(problem)}));
}

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

/// Returns the slot of a handle; for other pointers a number that is at least `capacity`.
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

namespace {

/// Number of copies of each copied plan. Never destroyed, because static destructors may destroy
/// plans.
struct Copies {
  std::mutex mutex;
  std::map<const void *, long> of;
};
Copies &copies() {
  static auto *instance = new Copies;
  return *instance;
}

/// Reduces the number of copies of a plan by one. Returns false if the plan had no copies.
bool remove_copy(const void *plan) {
  const std::lock_guard lock(copies().mutex);
  const auto found = copies().of.find(plan);
  if (found == copies().of.end()) return false;
  if (--found->second == 0) copies().of.erase(found);
  return true;
}

/// Reports a failed execution to stderr and to MPI's error handler.
void fail(const char *reason) noexcept {
  std::fprintf(stderr, "libhybridfft_fftw3_mpi: the execution of a plan failed: %s\n", reason);
  if (mpi::running())
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
  else
    std::abort();
}

void execute(Accelerated &plan, const void *handle, void *in, void *out) noexcept {
  const LoggedExecution timed(handle);
  run_reporting([&] { plan.plan->execute(in, out); },
                [](hfft_error, const char *reason) { fail(reason); });
}

} // namespace

bool execute_ours(const void *plan) noexcept {
  if (!is_ours(plan)) return false;
  if (Accelerated *found = plan_of(plan))
    execute(*found, plan, found->planned_in, found->planned_out);
  else
    fail("it has been destroyed");
  return true;
}

bool execute_ours(const void *plan, void *in, void *out) noexcept {
  if (!is_ours(plan)) return false;
  if (Accelerated *found = plan_of(plan))
    execute(*found, plan, in, out);
  else
    fail("it has been destroyed");
  return true;
}

void copy_plan(const void *plan) {
  if (plan == nullptr) return;
  const std::lock_guard lock(copies().mutex);
  ++copies().of[plan];
}

bool destroy_ours(const void *plan) noexcept {
  if (remove_copy(plan)) return true;
  log_destroyed(plan);
  if (!is_ours(plan)) {
    // After MPI_Finalize, FFTW would free a communicator that no longer exists.
    const bool distributed = forget_fallback(plan);
    return distributed && !mpi::running();
  }
  run_reporting([&] { remove_handle(plan); }, [](hfft_error, const char *) {});
  return true;
}

std::string describe_ours(const void *plan) {
  const Accelerated *found = plan_of(plan);
  return found != nullptr ? found->plan->describe() : "no plan\n";
}

double estimated_cost(const Accelerated &plan) {
  constexpr double bytes_per_operation = 16;
  return plan.flops + plan.bytes / bytes_per_operation;
}

} // namespace hybridfft::fftw3_mpi
