/// Defines operator new for a test program. It throws std::bad_alloc as failing_allocations says.
#include "support/failing_allocations.h"

#include <cstdlib>
#include <new>

namespace hybridfft::test {

FailingAllocations failing_allocations;

namespace {

bool fails(std::size_t bytes) {
  FailingAllocations &f = failing_allocations;
  if (bytes < f.min_bytes) return false;
  if (f.exhausted || f.left < 0) return f.exhausted;
  if (f.left > 0) {
    --f.left;
    return false;
  }
  if (f.only_one) f.left = -1;
  return true;
}

void *take(std::size_t bytes) {
  void *p = fails(bytes) ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

} // namespace
} // namespace hybridfft::test

// The linker prefers these operators to those of the C++ library, also for calls in libhybridfft.
void *operator new(std::size_t bytes) { return hybridfft::test::take(bytes); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
