// Tests blocks of memory: zeros, alignment, and release to the system.
#include "base/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <vector>

namespace {

using namespace hybridfft;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Returns the resident bytes of this process.
std::size_t resident() {
  std::size_t pages = 0, size = 0;
  std::ifstream("/proc/self/statm") >> size >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(Memory, BlocksOfAnySizeAreZeroAndAligned) {
  for (const std::size_t bytes :
       {std::size_t{1}, mebibyte / 8 - 1, mebibyte / 8, 3 * mebibyte + 5, 17 * mebibyte + 1})
    for (const Pages pages : {Pages::now, Pages::later}) {
      Memory block(bytes, 2, pages);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % alignment, 0U);
      EXPECT_TRUE(std::all_of(block.data(), block.data() + bytes,
                              [](std::byte b) { return b == std::byte{0}; }));
      std::fill_n(block.data(), whole_lines(bytes), std::byte{1});
      Memory other(64, 1);
      other = std::move(block);
      EXPECT_EQ(other.data()[bytes - 1], std::byte{1});
      EXPECT_EQ(other.bytes(), bytes);
    }
}

TEST(Memory, TheSystemHasFreedBlocksBack) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what is freed";
#endif
  // malloc() cannot return the memory of freed blocks to the system if later blocks are in use.
  const auto hold_behind_blocks = [] {
    std::vector<Memory> blocks;
    for (int i = 0; i < 16; ++i)
      blocks.emplace_back(mebibyte, 1);
    return Memory(mebibyte / 16, 1);
  };
  const Memory first = hold_behind_blocks();
  const std::size_t before = resident();
  const Memory second = hold_behind_blocks();
  EXPECT_LT(resident(), before + 4 * mebibyte);
}

/// If the work space cannot grow, existing plans continue to use it.
TEST(WorkMemory, IsThereAfterItCouldNotGrow) {
  WorkMemory work;
  work.reserve(4096, 1);
  EXPECT_THROW(work.reserve(SIZE_MAX / 4, 1), std::bad_alloc);
  ASSERT_NE(*work.base(), nullptr);
  std::fill_n(*work.base(), 4096, std::byte{1});
}

TEST(Memory, ImpossibleSizes_AreRefused) {
  EXPECT_THROW(Memory(SIZE_MAX / 4, 1), std::exception);
  EXPECT_THROW(Memory(SIZE_MAX, 1), std::exception);
}

} // namespace
