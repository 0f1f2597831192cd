// Replaces operator new: the error of a failed allocation has the number of bytes. The text of
// std::bad_alloc has none, and would not help a user whose grid is too large. The variant for
// std::nothrow is replaced as well, because AddressSanitizer has its own.
#include <cstdlib>
#include <new>

#include "base/error.h"

void *operator new(std::size_t bytes) {
  void *p = std::malloc(bytes != 0 ? bytes : 1);
  if (p == nullptr) throw hybridfft::OutOfMemory(bytes);
  return p;
}

void *operator new(std::size_t bytes, const std::nothrow_t & /*tag*/) noexcept {
  return std::malloc(bytes != 0 ? bytes : 1);
}

void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
