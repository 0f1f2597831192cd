// Tests failures of parallel files: wrong requests, full disks, damaged and foreign files. Every
// rank gets the same complete error message, and no incomplete file remains.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <complex>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>

#include "io/hdf5.h"
#include "support/foreign_storage.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"
#include "support/skipped_cases.h"

namespace {

using namespace hybridfft;
using io::File;
using io::IoError;

using test::world;

/// Returns the error message of a step; "no failure" if it succeeds.
std::string message(const std::function<void()> &step) {
  try {
    step();
  } catch (const IoError &e) {
    return e.what();
  }
  return "no failure";
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class IoFailures : public testing::Test {
protected:
  IoFailures() : scratch_(world()), path_(scratch_.file("good.h5")) {
    File file = File::create(path_, world());
    file.write_all<float>("real", {4, 5, 6}, std::vector<float>(120, 1.f));
    file.write_all<double>("double", {2}, {1., 1e300});
    file.write_all<std::int64_t>("integers", {2}, {1, -1});
    file.write_all<std::complex<float>>("complex", {2}, {{1, 2}, {3, 4}});
    file.write_all<float>("group/inner", {1}, {1});
    file.write_all<float>("packed", {4, 4}, std::vector<float>(16, 1.f), {{1, 4}, 3});
    file.commit();
  }

  void on_root(const std::function<void()> &step) const {
    if (test::rank_of(world()) == 0) step();
    MPI_Barrier(world());
  }

  test::ScratchDirectory scratch_;
  std::string path_;
};

TEST_F(IoFailures, UnreadableFile_IsNamed) {
  const auto open = [](const std::string &path) {
    return message([&] { File::open(path, world()); });
  };
  const std::string absent = scratch_.file("absent.h5");
  EXPECT_EQ(open(absent), "cannot open '" + absent + "': No such file or directory");
  const std::string folder = scratch_.file("");
  EXPECT_EQ(open(folder), "cannot open '" + folder + "': it is not a regular file");
  const std::string text = scratch_.file("text.h5");
  on_root([&] { std::ofstream(text) << "no HDF5 at all\n"; });
  EXPECT_EQ(open(text), "cannot open '" + text + "': it is not an HDF5 file");
  const std::string empty = scratch_.file("empty.h5");
  on_root([&] { std::ofstream create(empty); });
  EXPECT_EQ(open(empty), "cannot open '" + empty + "': it is not an HDF5 file");
  const std::string cut = scratch_.file("cut.h5");
  on_root([&] {
    std::filesystem::copy_file(path_, cut);
    std::filesystem::resize_file(cut, 1500);
  });
  EXPECT_TRUE(contains(open(cut), "cannot open '" + cut + "': truncated file")) << open(cut);
}

TEST_F(IoFailures, MissingDataset_IsNamed) {
  const File file = File::open(path_, world());
  const std::string found =
      " is missing (the file has complex, double, group, integers, packed, real)";
  EXPECT_EQ(message([&] { file.info("absent"); }), path_ + ": dataset 'absent'" + found);
  EXPECT_EQ(message([&] { file.read_all<float>("group/absent"); }),
            path_ + ": dataset 'group/absent'" + found);
  EXPECT_EQ(message([&] { file.read_all<float>("no/where"); }),
            path_ + ": dataset 'no/where'" + found);
  EXPECT_EQ(message([&] { file.info("group"); }),
            path_ + ": 'group' is a group, expected a dataset");
  EXPECT_TRUE(file.exists("group/inner"));
  EXPECT_FALSE(file.exists("group"));
  EXPECT_FALSE(file.exists("no/where"));
  EXPECT_FALSE(file.exists(""));
}

TEST_F(IoFailures, ControlCharactersOfNames_InMessages_AreEscaped) {
  const std::string name = "\x1b[31mred\nError: false\xff";
  const std::string shown = "\\x1b[31mred\\x0aError: false\\xff";
  on_root([&] {
    const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lcreate_soft("real", file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
  });
  const File file = File::open(path_, world());
  EXPECT_EQ(message([&] { file.info("absent"); }),
            path_ + ": dataset 'absent' is missing (the file has " + shown +
                ", complex, double, group, integers, packed, real)");
  EXPECT_EQ(message([&] { file.read_all<std::int64_t>(name); }),
            path_ + ": dataset '" + shown +
                "': holds values of type 32-bit floating, expected 64-bit integer");
  EXPECT_EQ(message([&] { file.attribute("real", name); }),
            path_ + ": attribute '" + shown + "' of 'real' is missing");
  EXPECT_EQ(message([&] { File::open("\x7f.h5", world()); }),
            "cannot open '\\x7f.h5': No such file or directory");
}

TEST_F(IoFailures, BoxOutsideDataset_IsRefused) {
  const File file = File::open(path_, world());
  std::vector<float> memory(120);
  const auto read = [&](const io::Hyperslab &box, const io::MemoryLayout &layout = {}) {
    return message([&] { file.read("real", box, memory.data(), layout); });
  };
  const std::string start = path_ + ": dataset 'real': found the box of ";
  EXPECT_EQ(read({{0, 0}, {4, 5}}),
            start + "4 x 5 at 0 x 0, expected 3 dimensions, those of its shape 4 x 5 x 6");
  EXPECT_EQ(read({{2, 0, 0}, {3, 5, 6}}),
            start + "3 x 5 x 6 at 2 x 0 x 0, expected one inside of its shape 4 x 5 x 6");
  EXPECT_EQ(read({{0, 0, 7}, {0, 5, 0}}),
            start + "0 x 5 x 0 at 0 x 0 x 7, expected one inside of its shape 4 x 5 x 6");
  const std::size_t huge = std::numeric_limits<std::size_t>::max();
  EXPECT_TRUE(contains(read({{1, 0, 0}, {huge, 1, 1}}), "expected one inside of its shape"));
  EXPECT_EQ(read({{0, 0, 0}, {4, 5, 6}}, {{4, 5, 5}}),
            start + "4 x 5 x 6 at 0 x 0 x 0, expected one that fits into the array of 4 x 5 x 5 "
                    "in memory");
}

// After an error on one rank no other rank waits or gets a part of the data.
TEST_F(IoFailures, MistakeOnOneRank_FailsOnAllRanks) {
  const File file = File::open(path_, world());
  std::vector<float> memory(120);
  const int last = test::size_of(world()) - 1;
  const std::size_t planes = test::rank_of(world()) == last ? 9 : 1;
  EXPECT_EQ(message([&] {
              file.read("real", {{0, 0, 0}, {planes, 5, 6}}, memory.data());
            }),
            path_ + ": dataset 'real': found the box of 9 x 5 x 6 at 0 x 0 x 0, expected one "
                    "inside of its shape 4 x 5 x 6");
  file.read("real", {{0, 0, 0}, {4, 5, 6}}, memory.data());
  EXPECT_EQ(memory, std::vector<float>(120, 1.f));
}

TEST_F(IoFailures, OtherKindOfValues_IsRefused) {
  const File file = File::open(path_, world());
  const auto text = [&](const char *name, const char *found, const char *expected) {
    return path_ + ": dataset '" + name + "': holds values of type " + found + ", expected " +
           expected;
  };
  EXPECT_EQ(message([&] { file.read_all<std::int64_t>("double"); }),
            text("double", "64-bit floating", "64-bit integer"));
  EXPECT_EQ(message([&] { file.read_all<std::complex<double>>("real"); }),
            text("real", "32-bit floating", "complex of 64-bit floating"));
  EXPECT_EQ(file.read_all<double>("integers"), (std::vector<double>{1, -1}));
  EXPECT_EQ(message([&] { file.read_all<float>("complex"); }),
            text("complex", "complex of 32-bit floating", "32-bit floating"));
}

TEST_F(IoFailures, TooLargeValues_AreRefused) {
  const std::string path = scratch_.file("large.h5");
  {
    File file = File::create(path, world());
    file.write_all<std::uint64_t>("unsigned", {3}, {7, std::uint64_t{1} << 63, 9});
    constexpr double infinite = std::numeric_limits<double>::infinity();
    file.write_all<double>("infinite", {3}, {infinite, 1, -infinite});
    file.commit();
  }
  const auto refusal = [&](const std::string &dataset, const std::string &reason) {
    return ": dataset '" + dataset + "': a value does not fit into the type asked for: found " +
           reason;
  };
  const File file = File::open(path_, world());
  EXPECT_EQ(message([&] { file.read_all<std::uint64_t>("integers"); }),
            path_ + refusal("integers", "-1, expected 0 to 18446744073709551615"));
  EXPECT_EQ(message([&] { file.read_all<float>("double"); }),
            path_ + refusal("double", "1e+300, expected 32-bit floating values"));
  // Infinite values fit into 32 bits, so they are no error of the conversion.
  constexpr float infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(File::open(path, world()).read_all<float>("infinite"),
            (std::vector<float>{infinite, 1, -infinite}));
  EXPECT_EQ(message([&] { File::open(path, world()).read_all<std::int64_t>("unsigned"); }),
            path + refusal("unsigned", "9223372036854775808, expected -9223372036854775808 to "
                                       "9223372036854775807"));
}

// HDF5 swaps the bytes of such integers without checking that the value fits the other type.
TEST_F(IoFailures, IntegersOfForeignOrder_OfOtherSign_AreRefusedWithTheirValue) {
  const std::string path = scratch_.file("foreign.h5");
  on_root([&] {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t three = 3;
    const hid_t space = H5Screate_simple(1, &three, nullptr);
    const std::uint64_t large[] = {7, std::uint64_t{1} << 63, 9}, small[] = {7, 8, 9};
    const std::int64_t negative[] = {7, -2, 9};
    const auto put = [&](const char *name, hid_t type, hid_t memory, const void *values) {
      const hid_t d = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
      H5Dclose(d);
    };
    put("large", H5T_STD_U64BE, H5T_NATIVE_UINT64, large);
    put("small", H5T_STD_U64BE, H5T_NATIVE_UINT64, small);
    put("negative", H5T_STD_I64BE, H5T_NATIVE_INT64, negative);
    H5Sclose(space);
    H5Fclose(file);
  });
  const File file = File::open(path, world());
  const auto refusal = [&](const char *dataset, const char *found, const char *expected) {
    return path + ": dataset '" + dataset +
           "': a value does not fit into the type asked for: " + "found " + found + ", expected " +
           expected;
  };
  EXPECT_EQ(message([&] { file.read_all<std::int64_t>("large"); }),
            refusal("large", "9223372036854775808", "-9223372036854775808 to 9223372036854775807"));
  EXPECT_EQ(message([&] { file.read_all<std::uint64_t>("negative"); }),
            refusal("negative", "-2", "0 to 18446744073709551615"));
  EXPECT_EQ(file.read_all<std::int64_t>("small"), (std::vector<std::int64_t>{7, 8, 9}));
  EXPECT_EQ(file.read_all<std::int64_t>("negative"), (std::vector<std::int64_t>{7, -2, 9}));
  EXPECT_EQ(file.read_all<std::uint64_t>("large")[1], std::uint64_t{1} << 63);
}

TEST_F(IoFailures, UncreatableDataset_IsNamed) {
  File file = File::create(scratch_.file("new.h5"), world());
  const auto create = [&](const io::Shape &shape, const io::CreateOptions &options = {}) {
    return message([&] { file.create_dataset<float>("d", shape, options); });
  };
  const std::string start = scratch_.file("new.h5") + ": dataset 'd'";
  EXPECT_EQ(create({3, 0, 2}), start + ": found the shape 3 x 0 x 2, expected at least one element "
                                       "along every dimension");
  const std::size_t half = std::size_t{1} << 63;
  EXPECT_TRUE(contains(create({half, half}),
                       start + ": found the shape 9223372036854775808 x 9223372036854775808, whose "
                               "elements are too many to be counted"));
  EXPECT_TRUE(contains(create({half}), "whose bytes are too many to be counted"));
  // The dataset exceeds the limits of file systems: creating it fails before any write.
  EXPECT_TRUE(contains(create({std::size_t{1} << 58}), start + " cannot be created: "));
  EXPECT_EQ(create({4}, {{}, 3}), start + ": compression needs a chunk, found none");
  EXPECT_EQ(create({4}, {{4}, 10}),
            start + ": found the deflate level 10, expected 0 to 9, or -1 for none");
  for (const io::Shape &chunk : {io::Shape{5}, io::Shape{0}, io::Shape{1, 1}})
    EXPECT_TRUE(contains(create({4}, {chunk, 1}), ", expected one that is not empty and fits into "
                                                  "its shape 4"));
  EXPECT_EQ(create({4}), "no failure");
  EXPECT_EQ(create({4}), start + " exists already");
  EXPECT_EQ(message([&] {
              file.write_all<float>("e", {3}, {1, 2});
            }),
            scratch_.file("new.h5") + ": dataset 'e': found 2 values, expected those of the shape "
                                      "3");
}

TEST_F(IoFailures, CompressedDataset_KeepsType) {
  File file = File::create_copy(path_, world());
  const std::vector<double> values(16, 2.);
  EXPECT_EQ(message([&] {
              file.write("packed", {{0, 0}, {4, 4}}, values.data());
            }),
            path_ + ": dataset 'packed': is compressed and holds values of type 32-bit floating, "
                    "found values of type 64-bit floating to be written");
}

TEST_F(IoFailures, ExternalLink_IsReadButNotWritten) {
  on_root([&] { test::link_out(path_, "real", "side.h5"); });
  {
    const File file = File::open(path_, world());
    EXPECT_EQ(file.info("real").shape, (io::Shape{4, 5, 6}));
    EXPECT_EQ(file.attribute("real", "domain_type"), "real");
    EXPECT_EQ(file.read_all<float>("real"), std::vector<float>(120, 1.f));
    std::vector<float> plane(30);
    file.read("real", {{1, 0, 0}, {1, 5, 6}}, plane.data());
    EXPECT_EQ(plane, std::vector<float>(30, 1.f));
  }
  // Writing through a link is refused, since HDF5 would open the other file on each rank alone.
  const std::string target = "a link to '/elsewhere' in the file 'side.h5'";
  File changed = File::create_copy(path_, world());
  EXPECT_FALSE(changed.exists("real"));
  const float one = 1;
  EXPECT_EQ(message([&] {
              changed.write("real", {{0, 0, 0}, {1, 1, 1}}, &one);
            }),
            path_ + ": 'real' is " + target +
                " (in a file that is to be changed), expected a dataset");
  on_root([&] { std::filesystem::remove(scratch_.file("side.h5")); });
  const File file = File::open(path_, world());
  const std::string found = message([&] { file.info("real"); });
  EXPECT_TRUE(contains(found, path_ + ": 'real' is " + target + ", which cannot be opened"))
      << found;
}

TEST_F(IoFailures, VirtualDataset_NeedsItsFiles) {
  on_root([&] { test::make_virtual(path_, "real", "planes.h5"); });
  {
    const File file = File::open(path_, world());
    EXPECT_EQ(file.read_all<float>("real"), std::vector<float>(120, 1.f));
    std::vector<float> values(60);
    file.read_run("real", 25, 60, values.data());
    EXPECT_EQ(values, std::vector<float>(60, 1.f));
  }
  // If a source of a virtual dataset is missing, HDF5 alone would return zeros.
  on_root([&] {
    const hid_t planes = H5Fopen(scratch_.file("planes.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(planes, "plane2", H5P_DEFAULT);
    H5Fclose(planes);
  });
  const std::string label = path_ + ": dataset 'real': is virtual, and its source ";
  EXPECT_EQ(message([&] { File::open(path_, world()).read_all<float>("real"); }),
            label + "'plane2' in file 'planes.h5' is missing");
  on_root([&] { std::filesystem::remove(scratch_.file("planes.h5")); });
  EXPECT_EQ(message([&] { File::open(path_, world()).read_all<float>("real"); }),
            label + "file 'planes.h5' is missing");
}

TEST_F(IoFailures, ExternalStorage_NeedsItsFile) {
  on_root([&] { test::store_outside(path_, "real", "values.bin"); });
  EXPECT_EQ(File::open(path_, world()).read_all<float>("real"), std::vector<float>(120, 1.f));
  // Beyond the end of the external file HDF5 alone would return zeros.
  const std::string outside = scratch_.file("values.bin");
  on_root([&] { std::filesystem::resize_file(outside, 479); });
  EXPECT_EQ(message([&] { File::open(path_, world()).read_all<float>("real"); }),
            path_ + ": dataset 'real': is stored in the external file '" + outside +
                "', which has 479 bytes, expected 480");
  on_root([&] { std::filesystem::remove(outside); });
  EXPECT_NE(message([&] { File::open(path_, world()).read_all<float>("real"); }), "no failure");
}

TEST_F(IoFailures, MissingFilter_IsNamed) {
  on_root([&] {
    test::compress(path_, "real");
    EXPECT_EQ(H5Zfilter_avail(test::unknown_filter), 0);
  });
  EXPECT_EQ(File::open(path_, world()).read_all<float>("real"), std::vector<float>(120, 1.f));
  on_root([&] { test::store_unreadably(path_, "real"); });
  const std::string found = message([&] { File::open(path_, world()).read_all<float>("real"); });
  EXPECT_TRUE(contains(found, path_ + ": dataset 'real': is stored with filter 30717 (secret), "
                                      "which HDF5 "))
      << found;
  EXPECT_TRUE(contains(found, "HDF5_PLUGIN_PATH")) << found;
}

// HDF5 with MPI-IO would hang: only some of the ranks notice the damage.
TEST_F(IoFailures, DamagedFile_IsNotChanged) {
  on_root([&] {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    file.clear();
    file.seekp(
        static_cast<std::streamoff>(all.find("HEAP"))); // the heap with the names of the root group
    file.put('h');
  });
  const std::string start = "cannot open '" + path_ + "': it is damaged: ";
  EXPECT_EQ(message([&] { File::create_copy(path_, world()); }).substr(0, start.size()), start);
  EXPECT_NE(message([&] { File::open(path_, world()).info("real"); }), "no failure");
}

TEST_F(IoFailures, EmptyDataset_HasNoValues) {
  const std::string path = scratch_.file("hollow.h5");
  on_root([&] {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t n[] = {3, 0};
    const hid_t flat = H5Screate_simple(2, n, nullptr);
    H5Dclose(
        H5Dcreate2(file, "flat", H5T_NATIVE_FLOAT, flat, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t null = H5Screate(H5S_NULL);
    H5Dclose(
        H5Dcreate2(file, "null", H5T_NATIVE_FLOAT, null, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(null);
    H5Sclose(flat);
    H5Fclose(file);
  });
  const File file = File::open(path, world());
  EXPECT_EQ(file.info("flat").shape, (io::Shape{3, 0}));
  EXPECT_EQ(message([&] { file.read_all<float>("flat"); }),
            path + ": dataset 'flat': found the shape 3 x 0, expected at least one element along "
                   "every dimension");
  EXPECT_EQ(message([&] { file.info("null"); }),
            path + ": dataset 'null': holds no values (a null dataspace)");
}

TEST_F(IoFailures, UncreatableFile_IsNamed) {
  const auto create = [](const std::string &path) {
    return message([&] { File::create(path, world()); });
  };
  const std::string nowhere = scratch_.file("no/where.h5");
  EXPECT_EQ(create(nowhere),
            "cannot create '" + nowhere + "': there is no folder '" + scratch_.file("no") + "'");
  const std::string folder = scratch_.file("folder");
  on_root([&] { std::filesystem::create_directory(folder); });
  EXPECT_EQ(create(folder),
            "cannot create '" + folder + "': it is a folder, expected the name of a file");
  EXPECT_EQ(create(""), "cannot create a file with an empty name");
  EXPECT_EQ(create("/dev/null"), "cannot create '/dev/null': it exists and is not a regular file");
}

TEST_F(IoFailures, NoCommit_LeavesNoFile) {
  const std::vector<std::string> before = scratch_.contents();
  {
    File file = File::create(path_, world());
    file.write_all<float>("other", {2}, {1, 2});
    MPI_Barrier(world());
    EXPECT_EQ(scratch_.contents().size(), before.size() + 1) << "the temporary file";
    MPI_Barrier(world());
  }
  MPI_Barrier(world());
  EXPECT_EQ(scratch_.contents(), before);
  EXPECT_TRUE(File::open(path_, world()).exists("real")) << "the old file is still there";
}

TEST_F(IoFailures, Commit_ReplacesFileAndKeepsLinks) {
  const std::string link = scratch_.file("link.h5");
  on_root([&] { std::filesystem::create_symlink("good.h5", link); });
  {
    File file = File::create(link, world());
    file.write_all<float>("other", {2}, {1, 2});
    file.commit();
    EXPECT_EQ(message([&] { file.write_all<float>("late", {1}, {1}); }),
              link + ": the file is closed");
  }
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(File::open(path_, world()).exists("other"));
  EXPECT_EQ(scratch_.contents().size(), 2u);
}

TEST_F(IoFailures, ReplacedFile_OtherPermissions_KeepsThem) {
  namespace fs = std::filesystem;
  // 0666 must survive a umask, which would clear some of its bits. 0444 must not prevent HDF5 from
  // writing the temporary file.
  for (const unsigned mode : {0600u, 0444u, 0666u, 0640u}) {
    on_root([&] { fs::permissions(path_, fs::perms{mode}); });
    for (const bool copy : {false, true}) {
      File file = copy ? File::create_copy(path_, world()) : File::create(path_, world());
      file.write_all<float>(copy ? "copied" : "made", {1}, {1});
      for (const std::string &name : scratch_.contents())
        EXPECT_EQ(fs::status(scratch_.file(name)).permissions() & ~fs::perms{mode | 0600u},
                  fs::perms::none)
            << name;
      MPI_Barrier(world());
      file.commit();
      EXPECT_EQ(fs::status(path_).permissions(), fs::perms{mode}) << copy;
      MPI_Barrier(world());
    }
  }
}

TEST_F(IoFailures, LinkToMissingFile_IsFollowed) {
  namespace fs = std::filesystem;
  on_root([&] {
    fs::create_directory(scratch_.file("folder"));
    fs::create_symlink("folder/second.h5", scratch_.file("first.h5"));
    fs::create_symlink("../made.h5", scratch_.file("folder/second.h5"));
    fs::create_symlink("round.h5", scratch_.file("round.h5"));
    fs::create_symlink("absent/made.h5", scratch_.file("lost.h5"));
  });
  {
    File file = File::create(scratch_.file("first.h5"), world());
    file.write_all<float>("other", {2}, {1, 2});
    file.commit();
  }
  EXPECT_TRUE(fs::is_symlink(scratch_.file("first.h5")));
  EXPECT_TRUE(fs::is_symlink(scratch_.file("folder/second.h5")));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(scratch_.file("made.h5"))));
  EXPECT_TRUE(File::open(scratch_.file("first.h5"), world()).exists("other"));
  EXPECT_EQ(message([&] { File::create(scratch_.file("round.h5"), world()); }),
            "cannot create '" + scratch_.file("round.h5") +
                "': too many symbolic links lead on from it");
  EXPECT_EQ(message([&] { File::create(scratch_.file("lost.h5"), world()); }),
            "cannot create '" + scratch_.file("lost.h5") + "': there is no folder '" +
                scratch_.file("absent") + "'");
}

// The last rank limits the size of its files after the dataset has been created. Its writing thread
// then fails.
TEST_F(IoFailures, FailureOfWritingThread_FailsOnAllRanks) {
  File file = File::create(path_, world());
  const auto ranks = static_cast<std::size_t>(test::size_of(world()));
  const auto rank = static_cast<std::size_t>(test::rank_of(world()));
  file.create_dataset<float>("rows", {ranks, 1 << 16}, {{1, 1 << 16}, 0});
  const std::vector<float> row(std::size_t{1} << 16, 1.f);
  rlimit usual{};
  getrlimit(RLIMIT_FSIZE, &usual);
  const rlimit small{4096, usual.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  if (rank == ranks - 1) setrlimit(RLIMIT_FSIZE, &small);
  const std::string found = message([&] {
    file.write_behind("rows", {{rank, 0}, {1, 1 << 16}}, row.data());
    file.settle();
  });
  setrlimit(RLIMIT_FSIZE, &usual);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(found, path_ + ": cannot be written: File too large");
}

// Each test mounts a file system of 4 MiB. This needs a privileged user.
class IoFullDisks : public IoFailures {
protected:
  void SetUp() override {
    int error = 0;
    on_root([&] {
      std::filesystem::create_directory(mount_point_);
      if (mount("tmpfs", mount_point_.c_str(), "tmpfs", 0, "size=4m") != 0) error = errno;
    });
    MPI_Bcast(&error, 1, MPI_INT, 0, world());
    mounted_ = error == 0;
    if (!mounted_)
      GTEST_SKIP() << test::this_machine << "cannot mount a small tmpfs: " << std::strerror(error);
  }
  void TearDown() override {
    MPI_Barrier(world());
    if (mounted_)
      on_root([&] { EXPECT_EQ(umount(mount_point_.c_str()), 0) << std::strerror(errno); });
  }

  void fill_disk() const {
    on_root([&] {
      std::ofstream stream(mount_point_ + "/filler");
      const std::vector<char> page(4096, 'x');
      while (stream.write(page.data(), static_cast<std::streamsize>(page.size())).flush()) {
      }
    });
  }

  std::size_t files() const {
    MPI_Barrier(world());
    const std::filesystem::directory_iterator all(mount_point_);
    const auto n = std::distance(begin(all), end(all));
    MPI_Barrier(world());
    return static_cast<std::size_t>(n);
  }

  const std::string mount_point_ = scratch_.file("small");
  const std::string path_ = mount_point_ + "/full.h5";
  bool mounted_ = false;
};

TEST_F(IoFullDisks, NoRoomForData_IsReported) {
  const auto ranks = static_cast<std::size_t>(test::size_of(world()));
  for (const io::CreateOptions &options :
       {io::CreateOptions{}, io::CreateOptions{{1, 1 << 20}, 0}}) {
    const std::string found = message([&] {
      File file = File::create(path_, world());
      file.create_dataset<float>("large", {ranks * 2, 1 << 20}, options);
      const std::vector<float> values(std::size_t{2} << 20, 1.f);
      const auto rank = static_cast<std::size_t>(test::rank_of(world()));
      file.write("large", {{2 * rank, 0}, {2, 1 << 20}}, values.data());
      file.commit();
    });
    EXPECT_TRUE(contains(found, path_ + ": dataset 'large' cannot be created: No space left on "
                                        "device"))
        << found;
    EXPECT_EQ(files(), 0u);
  }
}

// Sets attributes that exceed the space reserved at the file's creation. HDF5 keeps them in memory
// until the file is flushed.
void set_long_attributes(File &file) {
  for (const char *name : {"a", "b", "c", "d", "e"})
    file.set_attribute("small", name, std::string(60000, 'x'));
}

// Random values cannot be compressed, so they do not fit.
TEST_F(IoFullDisks, NoRoomForCompressedData_IsReported) {
  const auto ranks = static_cast<std::size_t>(test::size_of(world()));
  const std::string found = message([&] {
    File file = File::create(path_, world());
    file.create_dataset<float>("large", {ranks * 2, 1 << 20}, {{1, 1 << 20}, 1});
    std::mt19937 noise(7);
    std::uniform_real_distribution<float> any(-1.f, 1.f);
    std::vector<float> values(std::size_t{2} << 20);
    for (float &value : values)
      value = any(noise);
    const auto rank = static_cast<std::size_t>(test::rank_of(world()));
    file.write("large", {{2 * rank, 0}, {2, 1 << 20}}, values.data());
    file.commit();
  });
  EXPECT_TRUE(contains(found, path_ + ": dataset 'large' cannot be written: No space left on "
                                      "device"))
      << found;
  EXPECT_EQ(files(), 0u);
}

TEST_F(IoFullDisks, NoRoomForAttributes_IsReported) {
  const std::string found = message([&] {
    File file = File::create(path_, world());
    file.write_all<float>("small", {1024}, std::vector<float>(1024, 1.f));
    fill_disk();
    set_long_attributes(file);
    file.commit();
  });
  EXPECT_TRUE(contains(found, path_ + ": attribute 'a' of 'small' cannot be written: No space "
                                      "left on device"))
      << found;
  EXPECT_EQ(files(), 1u) << "more than the filler";
}

TEST_F(IoFullDisks, ReservedData_HaveRoom) {
  File file = File::create(path_, world());
  file.write_all<float>("small", {1024}, std::vector<float>(1024, 1.f));
  set_long_attributes(file);
  fill_disk();
  file.commit();
  EXPECT_EQ(File::open(path_, world()).attribute("small", "e"), std::string(60000, 'x'));
}

TEST_F(IoFullDisks, NoRoomForFile_IsReported) {
  fill_disk();
  const std::string found = message([&] { File::create(path_, world()); });
  EXPECT_TRUE(contains(found, "cannot create '" + path_ + "': No space left on device")) << found;
  EXPECT_EQ(files(), 1u) << "more than the filler";
}

// Creating a file removes the temporary files of killed runs. It keeps the files of running
// programs and files with other names.
TEST_F(IoFailures, TemporaryFilesOfKilledRuns_AreRemoved) {
  const std::string left = scratch_.file(".good.h5.0123456789abcdef.tmp");
  const std::string older = scratch_.file(".good.h5.ffffffffffffffff.tmp");
  const std::vector<std::string> others{
      ".good.h5.0123456789abcdeg.tmp", ".good.h5.0123.tmp", ".other.h5.0123456789abcdef.tmp",
      ".good.h5.bak.0123456789abcdef.tmp", "good.h5.0123456789abcdef.tmp"};
  on_root([&] {
    std::ofstream(left) << "half a file";
    std::ofstream(older) << "half a file";
    for (const std::string &name : others)
      std::ofstream(scratch_.file(name)) << "another's";
  });
  const auto files = [&] { return scratch_.contents().size(); };
  const std::size_t kept = 1 + others.size();
  ASSERT_EQ(files(), kept + 2);
  MPI_Barrier(world());
  {
    File first = File::create(path_, world());
    EXPECT_EQ(files(), kept + 1) << "its own one";
    MPI_Barrier(world());
    File second = File::create(path_, world());
    EXPECT_EQ(files(), kept + 2) << "the first one is still at work";
    MPI_Barrier(world());
    first.write_all<float>("first", {1}, {1});
    first.commit();
    second.write_all<float>("second", {1}, {2});
    second.commit();
  }
  MPI_Barrier(world());
  EXPECT_EQ(files(), kept);
  EXPECT_EQ(File::open(path_, world()).read_all<float>("second"), std::vector<float>{2});
}

} // namespace
