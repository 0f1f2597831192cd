#include "lack_of_pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace hybridfft::test {

bool lacks_pages = false;

namespace {

#ifdef MADV_POPULATE_WRITE
constexpr int populate = MADV_POPULATE_WRITE;
#else
constexpr int populate = -1;
#endif

} // namespace

bool asks_for_pages() { return populate >= 0; }

} // namespace hybridfft::test

// The program's function comes before the system's.
#pragma GCC visibility push(default)
extern "C" int madvise(void *first, std::size_t bytes, int advice) noexcept {
  if (hybridfft::test::lacks_pages && advice == hybridfft::test::populate) {
    errno = ENOMEM;
    return -1;
  }
  return static_cast<int>(syscall(SYS_madvise, first, bytes, advice));
}
#pragma GCC visibility pop
