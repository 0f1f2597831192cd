// Tests reading of files named by users: only regular ones of bounded size are read, without
// waiting.
#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/machine_parameters.h"
#include "support/variable.h"

namespace {

using namespace hybridfft;
namespace fs = std::filesystem;

class TextFile : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "text-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(path("file")) << "cores = 4\n";
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    fs::resize_file(path("file"), 10);
    std::ofstream(path("large"));
    fs::resize_file(path("large"), std::uintmax_t{1} << 40); // occupies no block on the disk
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string &name) const { return (folder_ / name).string(); }

  static std::string reason(const std::string &file) {
    try {
      return "read " + read_text(file, 10);
    } catch (const FileError &e) {
      return e.what();
    }
  }

  static std::string reason_of_machine(const std::string &file) {
    const test::Variable variable("HFFT_MACHINE", file);
    try {
      machine_of_environment();
      return "read";
    } catch (const Failure &e) {
      EXPECT_EQ(e.code(), HFFT_ERROR_ENVIRONMENT);
      return e.what();
    }
  }

private:
  fs::path folder_;
};

TEST_F(TextFile, RegularFile_OfTheLargestSize_IsRead) {
  EXPECT_EQ(reason(path("file")), "read cores = 4\n");
  std::ofstream(path("file"), std::ios::app) << ' ';
  EXPECT_NE(reason(path("file")).find("10 bytes"), std::string::npos);
}

TEST_F(TextFile, DevicePipeFolderMissingAndEndlessFile_Read_AreRefusedAtOnce) {
  const std::string regular = "it is not a regular file";
  EXPECT_EQ(reason(path("pipe")), regular);
  EXPECT_EQ(reason(path(".")), regular);
  EXPECT_EQ(reason("/dev/zero"), regular);
  EXPECT_EQ(reason(path("none")), "No such file or directory");
  EXPECT_NE(reason(path("large")).find("10 bytes"), std::string::npos);
}

TEST_F(TextFile, AtomicFile_ReplacedFile_KeepsPermissions) {
  for (const mode_t mode : {0600U, 0444U, 0666U, 0640U}) {
    ASSERT_EQ(chmod(path("file").c_str(), mode), 0);
    AtomicFile file(path("file"));
    file.append("new\n");
    file.commit();
    EXPECT_EQ(permissions_of(path("file")), mode);
    EXPECT_EQ(reason(path("file")), "read new\n");
  }
}

TEST_F(TextFile, MachineOfTheEnvironment_IrregularFile_NamesVariableAndFile) {
  EXPECT_EQ(reason_of_machine(path("file")), "read");
  for (const std::string &file :
       {path("pipe"), path("."), std::string("/dev/zero"), path("none"), path("large")}) {
    const std::string reason = reason_of_machine(file);
    EXPECT_NE(reason.find("HFFT_MACHINE is '" + file + "', expected a file"), std::string::npos)
        << reason;
  }
}

} // namespace
