// Tests wisdom in files: accepted and refused contents, and concurrent saves without losses.
#include "wisdom/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "plan/arguments.h"
#include "plan/choice.h"
#include "plan/create.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::plan;
using namespace hybridfft::wisdom;
namespace fs = std::filesystem;

class WisdomFiles : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "wisdom-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string &name) const { return (folder_ / name).string(); }

  static std::string text_of(const std::string &path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static void put(const std::string &path, const std::string &text) { std::ofstream(path) << text; }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  /// Returns wisdom with one entry, different for each n.
  static Wisdom entry(std::ptrdiff_t n) {
    Wisdom w;
    w.add(key(n), experience());
    return w;
  }
  static Experience experience() {
    Choice c;
    c.path = std::make_shared<const OrderedPath>(slab_paths(problem(4)).front());
    c.tile_bytes = 1;
    return {HFFT_MEASURE, 1, serialize(c)};
  }
  static Problem problem(std::ptrdiff_t n) {
    return slab_problem(Kind::c2c, HFFT_FORWARD, {n, 4, 4}, {}, 1, {}, 1);
  }
  static std::string key(std::ptrdiff_t n) { return wisdom_key(problem(n), Machine()); }

  template <class F> static void expect_refused(const F &f, const std::string &word) {
    try {
      f();
      ADD_FAILURE() << "accepted";
    } catch (const Failure &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_WISDOM);
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
    }
  }

private:
  fs::path folder_;
};

TEST_F(WisdomFiles, RoundTrip) {
  write_wisdom(path("a"), entry(3));
  EXPECT_EQ(read_wisdom(path("a")), entry(3));
  write_wisdom(path("a"), entry(4));
  EXPECT_EQ(read_wisdom(path("a")), entry(4));
  EXPECT_EQ(files(), 1U) << "temporary files were left";
}

TEST_F(WisdomFiles, UnusableFile_IsNamed) {
  expect_refused([&] { read_wisdom(path("none")); }, path("none"));
  expect_refused([&] { read_wisdom(path(".")); }, "not a regular file");
  expect_refused([&] { write_wisdom(path("."), entry(3)); }, "it is a folder");
  expect_refused([&] { write_wisdom(path("none/a"), entry(3)); }, path("none/a"));
  expect_refused([&] { SharedWisdomFile(path("none/a")).load(); }, "no folder");
  expect_refused([&] { SharedWisdomFile(path("none/a")).save(entry(3)); }, path("none/a"));
  EXPECT_EQ(files(), 0U);
}

/// Reading a pipe would wait, and replacing a device or a pipe by a file would destroy it.
TEST_F(WisdomFiles, OnlyRegularFiles) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", path("link"));
  for (const char *name : {"pipe", "link"}) {
    const std::string file = path(name);
    const std::string reason = "regular file";
    expect_refused([&] { read_wisdom(file); }, reason);
    expect_refused([&] { write_wisdom(file, entry(3)); }, reason);
    expect_refused([&] { SharedWisdomFile(file).load(); }, reason);
    expect_refused([&] { SharedWisdomFile(file).save(entry(3)); }, reason);
    expect_refused([&] { SharedWisdomFile(file).save(entry(3)); }, file);
  }
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files(), 2U);
}

TEST_F(WisdomFiles, SharedOnesGrow) {
  const SharedWisdomFile file(path("shared"));
  EXPECT_EQ(file.load(), Wisdom());
  file.save(entry(3));
  Wisdom both = entry(3);
  both.merge(entry(4));
  EXPECT_EQ(file.save(entry(4)).all, both);
  EXPECT_EQ(file.load(), both);
  EXPECT_EQ(files(), 1U);
}

TEST_F(WisdomFiles, ForgottenEntries_StayAway_UnloadedAreReadAgain) {
  Wisdom both = entry(3);
  both.merge(entry(5));
  write_wisdom(path("a"), both);
  setenv("HFFT_WISDOM", path("a").c_str(), 1);
  const auto knows = [](std::ptrdiff_t n) { return recall(key(n), HFFT_MEASURE).has_value(); };
  forget_entries([](const std::string &k) { return k == key(3); });
  EXPECT_FALSE(knows(3));
  EXPECT_TRUE(knows(5));
  unload_entries([](const std::string &k) { return k == key(5); });
  EXPECT_EQ(known_wisdom(), Wisdom());
  EXPECT_TRUE(knows(5));
  EXPECT_TRUE(knows(3));
  unsetenv("HFFT_WISDOM");
  forget_wisdom();
}

TEST_F(WisdomFiles, DamagedOnesStayAsTheyAre) {
  const std::string damaged = entry(3).text().substr(0, 50);
  put(path("shared"), damaged);
  const SharedWisdomFile file(path("shared"));
  expect_refused([&] { file.load(); }, path("shared") + "', line 2");
  expect_refused([&] { file.save(entry(4)); }, path("shared") + "', line 2");
  EXPECT_EQ(text_of(path("shared")), damaged);
}

TEST_F(WisdomFiles, LinksStayLinks) {
  write_wisdom(path("target"), entry(3));
  fs::create_symlink("target", path("link"));
  SharedWisdomFile(path("link")).save(entry(4));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_wisdom(path("target")).size(), 2U);
}

/// A lock through another descriptor has the effect of another process's lock.
TEST_F(WisdomFiles, LockedFile_Save_LeavesTheFileAndReturns) {
  const SharedWisdomFile file(path("shared"));
  file.save(entry(3));
  const int reader = open(path("shared").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(reader, LOCK_EX), 0);
  const SharedWisdomFile::Saved saved = file.save(entry(4), std::chrono::milliseconds(20));
  EXPECT_TRUE(saved.locked);
  EXPECT_EQ(saved.all.size(), 2U);
  EXPECT_EQ(file.load(), entry(3));
  close(reader);
  EXPECT_FALSE(file.save(entry(4)).locked);
  EXPECT_EQ(file.load(), saved.all);
}

TEST_F(WisdomFiles, LockedFileOfTheEnvironment_Remember_DescribesItAndGoesOn) {
  setenv("HFFT_WISDOM", path("shared").c_str(), 1);
  remember(key(3), experience());
  EXPECT_EQ(describe_unsaved(), "");
  const int reader = open(path("shared").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(reader, LOCK_EX), 0);
  remember(key(4), experience());
  EXPECT_NE(describe_unsaved().find(path("shared")), std::string::npos);
  EXPECT_TRUE(recall(key(4), HFFT_MEASURE).has_value());
  close(reader);
  remember(key(5), experience());
  EXPECT_EQ(describe_unsaved(), "");
  unsetenv("HFFT_WISDOM");
  forget_wisdom();
  EXPECT_EQ(read_wisdom(path("shared")).size(), 3U);
}

TEST_F(WisdomFiles, ConcurrentSaves_LoseNothing) {
  constexpr int processes = 4;
  constexpr int each = 25;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const SharedWisdomFile file(path("shared"));
      for (int i = 0; i < each; ++i) {
        try {
          file.save(entry(1 + p * each + i));
        } catch (const Failure &) {
          _exit(1);
        }
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_wisdom(path("shared")).size(), static_cast<std::size_t>(processes * each));
  EXPECT_EQ(files(), 1U);
}

} // namespace
