#include "allocation_count.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

// glibc's allocator under its own names.
extern "C" {
void *__libc_malloc(std::size_t bytes);
void *__libc_calloc(std::size_t n, std::size_t bytes);
void *__libc_realloc(void *p, std::size_t bytes);
void *__libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<std::size_t> calls{0};
std::atomic<std::size_t> cpp_calls{0};
std::atomic<std::size_t> largest{0};

void note(std::size_t bytes) {
  if (!counting) return;
  ++calls;
  for (std::size_t seen = largest; seen < bytes && !largest.compare_exchange_weak(seen, bytes);) {
  }
}

void *note_new(std::size_t bytes) {
  if (counting) ++cpp_calls;
  void *p = std::malloc(bytes != 0 ? bytes : 1);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

} // namespace

namespace hybridfft::test {

void start_counting() {
  calls = cpp_calls = largest = 0;
  counting = true;
}

Allocations stop_counting() {
  counting = false;
  return {calls, cpp_calls, largest};
}

} // namespace hybridfft::test

extern "C" {

void *malloc(std::size_t bytes) {
  note(bytes);
  return __libc_malloc(bytes);
}

void *calloc(std::size_t n, std::size_t bytes) {
  note(n * bytes);
  return __libc_calloc(n, bytes);
}

void *realloc(void *p, std::size_t bytes) {
  note(bytes);
  return __libc_realloc(p, bytes);
}

void *aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}

void *memalign(std::size_t alignment, std::size_t bytes) {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **p, std::size_t alignment, std::size_t bytes) {
  note(bytes);
  *p = __libc_memalign(alignment, bytes);
  return *p != nullptr ? 0 : ENOMEM;
}

} // extern "C"

void *operator new(std::size_t bytes) { return note_new(bytes); }
void *operator new[](std::size_t bytes) { return note_new(bytes); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t) noexcept { std::free(p); }
