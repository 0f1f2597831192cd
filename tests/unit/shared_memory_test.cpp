// Tests shared files in memory: access by other processes, and lifetime.
#include "base/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <utility>

namespace hybridfft {
namespace {

TEST(SharedFile, OtherProcessesMapTheSamePages) {
  SharedFile file(2 * page_bytes());
  ASSERT_TRUE(file);
  const Mapping mine = file.map(page_bytes(), page_bytes(), false);
  ASSERT_NE(mine.data(), nullptr);
  ASSERT_TRUE(populate(mine.data(), 0, page_bytes()));
  EXPECT_EQ(mine.data()[7], std::byte{0});
  const SharedFile::Address address = file.address();
  const pid_t child = fork();
  if (child == 0) {
    const SharedFile theirs(address);
    const Mapping pages = theirs.map(page_bytes(), page_bytes(), true);
    if (pages.data() == nullptr) _exit(1);
    pages.data()[7] = std::byte{42};
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mine.data()[7], std::byte{42});
}

TEST(SharedFile, MappingsOutliveIt) {
  auto file = std::make_unique<SharedFile>(page_bytes());
  Mapping first = file->map(0, page_bytes(), false);
  const Mapping second = SharedFile(file->address()).map(0, page_bytes(), true);
  const SharedFile::Address address = file->address();
  file.reset();
  EXPECT_FALSE(SharedFile(address));
  ASSERT_NE(second.data(), nullptr);
  first.data()[0] = std::byte{1};
  EXPECT_EQ(second.data()[0], std::byte{1});
  first = Mapping();
  EXPECT_EQ(second.data()[0], std::byte{1});
}

TEST(SharedFile, WrongAddress_FindsNoFile) {
  const SharedFile file(page_bytes()), other(page_bytes());
  SharedFile::Address address = file.address();
  EXPECT_TRUE(SharedFile(address));
  ++address.key;
  EXPECT_FALSE(SharedFile(address));
  address = file.address();
  address.descriptor = other.address().descriptor;
  EXPECT_FALSE(SharedFile(address));
  address = file.address();
  address.process = 0;
  EXPECT_FALSE(SharedFile(address));
  EXPECT_FALSE(SharedFile(SharedFile::Address()));
  EXPECT_FALSE(SharedFile());
  EXPECT_EQ(SharedFile().map(0, page_bytes(), false).data(), nullptr);
}

TEST(SharedFile, LimitsOfTheProcessLeaveNone) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = page_bytes();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_TRUE(SharedFile(page_bytes()));
  EXPECT_FALSE(SharedFile(page_bytes() + 1));
  setrlimit(RLIMIT_FSIZE, &before);
  // The range to be mapped is larger than any address space.
  const SharedFile file(page_bytes());
  EXPECT_EQ(file.map(0, std::size_t{1} << 60, false).data(), nullptr);
}

} // namespace
} // namespace hybridfft
