#include "allocation_count.h"

#include <malloc.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

// Other names of glibc's allocator, which this file can call although it defines malloc() itself.
extern "C" {
void *__libc_malloc(std::size_t bytes);
void *__libc_calloc(std::size_t n, std::size_t bytes);
void *__libc_realloc(void *p, std::size_t bytes);
void *__libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void *p);
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

std::atomic<long long> now{0};
std::atomic<long long> peak{0};

void change_now(long long bytes) {
  const long long sum = now += bytes;
  for (long long seen = peak; seen < sum && !peak.compare_exchange_weak(seen, sum);) {
  }
}

/// \param sign 1 for allocated blocks, -1 for freed ones
void *note_block(void *p, int sign) {
  const std::size_t bytes = p != nullptr ? malloc_usable_size(p) : 0;
  if (bytes >= hybridfft::test::min_array) change_now(sign * static_cast<long long>(bytes));
  return p;
}

/// A live window of shared memory. A test has only a few windows at a time.
struct Window {
  MPI_Win window = MPI_WIN_NULL;
  long long bytes = 0;
};
std::array<Window, 64> windows;

/// Blocks of pages mapped by calls of mmap(), as the library maps arrays. mmap() and munmap() must
/// not be called while the mutex is locked, because they lock it.
struct Mapped {
  std::mutex mutex;
  std::array<std::pair<std::uintptr_t, std::size_t>, 256> blocks; ///< address, bytes (0: unused)
};
Mapped &mapped() {
  static Mapped instance;
  return instance;
}

void note_mapped(void *address, std::size_t bytes) {
  if (bytes < hybridfft::test::min_array) return;
  const std::lock_guard lock(mapped().mutex);
  for (auto &[first, size] : mapped().blocks)
    if (size == 0) {
      first = reinterpret_cast<std::uintptr_t>(address);
      size = bytes;
      change_now(static_cast<long long>(bytes));
      return;
    }
}

/// Counts unmapped pages, which are either a whole block, or its first or last pages.
void note_unmapped(void *address, std::size_t bytes) {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(mapped().mutex);
  for (auto &[first, size] : mapped().blocks)
    if (size > 0 && place >= first && place + bytes <= first + size) {
      if (place == first) first += bytes;
      size -= bytes;
      change_now(-static_cast<long long>(bytes));
      return;
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

ArrayBytes array_bytes() { return {now, peak}; }
void reset_peak() { peak = now.load(); }

} // namespace hybridfft::test

// MPICH's <mpi.h> does not declare its functions as visible.
#pragma GCC visibility push(default)
extern "C" {

void *malloc(std::size_t bytes) {
  note(bytes);
  return note_block(__libc_malloc(bytes), 1);
}

void *calloc(std::size_t n, std::size_t bytes) {
  note(n * bytes);
  return note_block(__libc_calloc(n, bytes), 1);
}

void *realloc(void *p, std::size_t bytes) {
  note(bytes);
  note_block(p, -1);
  return note_block(__libc_realloc(p, bytes), 1);
}

void *aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note(bytes);
  return note_block(__libc_memalign(alignment, bytes), 1);
}

void *memalign(std::size_t alignment, std::size_t bytes) {
  note(bytes);
  return note_block(__libc_memalign(alignment, bytes), 1);
}

int posix_memalign(void **p, std::size_t alignment, std::size_t bytes) {
  note(bytes);
  *p = note_block(__libc_memalign(alignment, bytes), 1);
  return *p != nullptr ? 0 : ENOMEM;
}

void free(void *p) {
  note_block(p, -1);
  __libc_free(p);
}

void *mmap(void *address, std::size_t bytes, int access, int flags, int file, off_t offset) {
  void *p =
      reinterpret_cast<void *>(syscall(SYS_mmap, address, bytes, access, flags, file, offset));
  constexpr int of_memory = MAP_ANONYMOUS; // not MAP_NORESERVE, which only reserves addresses
  if (p != MAP_FAILED && (flags & (MAP_ANONYMOUS | MAP_NORESERVE)) == of_memory &&
      access != PROT_NONE)
    note_mapped(p, bytes);
  return p;
}

int munmap(void *address, std::size_t bytes) {
  note_unmapped(address, bytes);
  return static_cast<int>(syscall(SYS_munmap, address, bytes));
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                            MPI_Win *window) {
  const int code = PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
  for (Window &w : windows)
    if (code == MPI_SUCCESS && w.window == MPI_WIN_NULL) {
      w = {*window, size};
      change_now(size);
      break;
    }
  return code;
}

int MPI_Win_free(MPI_Win *window) {
  for (Window &w : windows)
    if (w.window == *window) {
      change_now(-w.bytes);
      w = {};
      break;
    }
  return PMPI_Win_free(window);
}

} // extern "C"
#pragma GCC visibility pop

void *operator new(std::size_t bytes) { return note_new(bytes); }
void *operator new[](std::size_t bytes) { return note_new(bytes); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t) noexcept { std::free(p); }
