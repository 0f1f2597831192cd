// Replaces operator new and delete of the program by functions that count, also for calls in
// libraries.
#include "messages/heap_count.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long long> allocations, in_use, peak;

void *counted(void *p) {
  if (p == nullptr) throw std::bad_alloc();
  ++allocations;
  const long long now = in_use += static_cast<long long>(malloc_usable_size(p));
  for (long long most = peak; now > most && !peak.compare_exchange_weak(most, now);) {
  }
  return p;
}

void release(void *p) noexcept {
  in_use -= static_cast<long long>(malloc_usable_size(p));
  std::free(p);
}

} // namespace

void *operator new(std::size_t bytes) { return counted(std::malloc(bytes > 0 ? bytes : 1)); }
void *operator new[](std::size_t bytes) { return counted(std::malloc(bytes > 0 ? bytes : 1)); }
void operator delete(void *p) noexcept { release(p); }
void operator delete[](void *p) noexcept { release(p); }
void operator delete(void *p, std::size_t) noexcept { release(p); }
void operator delete[](void *p, std::size_t) noexcept { release(p); }

namespace hybridfft {

namespace {
long long allocations_before = 0, in_use_before = 0;
}

void start_counting_heap() {
  allocations_before = allocations;
  in_use_before = in_use;
  peak = in_use_before;
}

HeapCount stop_counting_heap() {
  return {allocations - allocations_before, in_use - in_use_before, peak - in_use_before};
}

} // namespace hybridfft
