#include "lack_of_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace hybridfft::test {

bool lacks_pages = false;
std::uint64_t shared_memory_room = 0;

namespace {

#ifdef MADV_POPULATE_WRITE
constexpr int populate = MADV_POPULATE_WRITE;
#else
constexpr int populate = -1;
#endif

} // namespace

bool asks_for_pages() { return populate >= 0; }

} // namespace hybridfft::test

// The linker prefers these functions of the program to those of the system.
#pragma GCC visibility push(default)
extern "C" {

int madvise(void *first, std::size_t bytes, int advice) noexcept {
  if (hybridfft::test::lacks_pages && advice == hybridfft::test::populate) {
    errno = ENOMEM;
    return -1;
  }
  return static_cast<int>(syscall(SYS_madvise, first, bytes, advice));
}

int statvfs(const char *path, struct statvfs *info) noexcept {
  const int folder = open(path, O_RDONLY | O_CLOEXEC);
  if (folder < 0) return -1;
  const int code = fstatvfs(folder, info);
  close(folder);
  if (code == 0 && hybridfft::test::shared_memory_room > 0 && std::strcmp(path, "/dev/shm") == 0) {
    info->f_frsize = 1;
    info->f_bavail = hybridfft::test::shared_memory_room;
  }
  return code;
}

} // extern "C"
#pragma GCC visibility pop
