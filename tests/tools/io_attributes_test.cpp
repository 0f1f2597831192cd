// Tests string attributes of all kinds: files written by lib/io are read by HDF5's serial C API,
// and vice versa.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <string>

#include "io/hdf5.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using io::File;

using test::world;

struct FixedString {
  H5T_str_t padding;
  std::string bytes; ///< the bytes in the file
};

void put(hid_t object, const char *name, hid_t type, hid_t space, const void *data) {
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, data);
  H5Aclose(attribute);
}

void put_fixed(hid_t object, const char *name, const FixedString &s) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, s.bytes.size());
  H5Tset_strpad(type, s.padding);
  const hid_t space = H5Screate(H5S_SCALAR);
  put(object, name, type, space, s.bytes.data());
  H5Sclose(space);
  H5Tclose(type);
}

void put_variable(hid_t object, const char *name, const char *text, H5T_cset_t set) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, set);
  const hsize_t one = 1;
  const hid_t space = H5Screate_simple(1, &one, nullptr);
  put(object, name, type, space, &text);
  H5Sclose(space);
  H5Tclose(type);
}

void put_others(hid_t object) {
  const hid_t scalar = H5Screate(H5S_SCALAR);
  const int seven = 7;
  put(object, "number", H5T_NATIVE_INT, scalar, &seven);
  H5Sclose(scalar);
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 3);
  const hsize_t two = 2;
  const hid_t pair = H5Screate_simple(1, &two, nullptr);
  put(object, "pair", type, pair, "ab\0cd");
  H5Sclose(pair);
  H5Tclose(type);
}

class IoAttributes : public testing::Test {
protected:
  IoAttributes() : scratch_(world()), path_(scratch_.file("attributes.h5")) {
    if (test::rank_of(world()) == 0) {
      const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      put_fixed(file, "terminated", {H5T_STR_NULLTERM, std::string("input\0", 6)});
      put_fixed(file, "terminated_in_longer", {H5T_STR_NULLTERM, std::string("input\0xyz", 9)});
      put_fixed(file, "no_room", {H5T_STR_NULLTERM, "input"});
      put_fixed(file, "null_padded_full", {H5T_STR_NULLPAD, "input"});
      put_fixed(file, "null_padded", {H5T_STR_NULLPAD, std::string("input\0\0\0", 8)});
      put_fixed(file, "space_padded", {H5T_STR_SPACEPAD, "in put   "});
      put_variable(file, "variable", "input", H5T_CSET_ASCII);
      put_variable(file, "utf8",
                   "pr\xc3\xbc"
                   "fung",
                   H5T_CSET_UTF8);
      put_variable(file, "empty", "", H5T_CSET_ASCII);
      put_others(file);
      H5Fclose(file);
    }
    MPI_Barrier(world());
  }

  test::ScratchDirectory scratch_;
  std::string path_;
};

TEST_F(IoAttributes, AllKindsOfStrings_AreRead) {
  const File file = File::open(path_, world());
  for (const char *name : {"terminated", "terminated_in_longer", "no_room", "null_padded_full",
                           "null_padded", "variable"})
    EXPECT_EQ(file.attribute("/", name), "input") << name;
  EXPECT_EQ(file.attribute("/", "space_padded"), "in put");
  EXPECT_EQ(file.attribute("/", "utf8"), "pr\xc3\xbc"
                                         "fung");
  EXPECT_EQ(file.attribute("/", "empty"), "");
  EXPECT_TRUE(file.has_attribute("/", "variable"));
  EXPECT_FALSE(file.has_attribute("/", "absent"));
}

TEST_F(IoAttributes, NoSingleString_IsRefused) {
  const File file = File::open(path_, world());
  const auto message = [&](const char *name) -> std::string {
    try {
      return file.attribute("/", name);
    } catch (const io::IoError &e) {
      return e.what();
    }
  };
  const std::string start = path_ + ": attribute '";
  EXPECT_EQ(message("absent"), start + "absent' of '/' is missing");
  EXPECT_EQ(message("number"), start + "number' of '/': found 32-bit integer, expected a string");
  EXPECT_EQ(message("pair"), start + "pair' of '/': found 2 strings, expected one");
}

TEST_F(IoAttributes, WrittenStrings_AreFixedAndTerminated) {
  const std::string path = scratch_.file("written.h5");
  const std::string longest(60000, 'x'); // an attribute must fit into 64 KiB
  {
    File file = File::create(path, world());
    file.write_all<float>("p", {2}, {1, 2});
    file.set_attribute("/", "file_type", "output");
    file.set_attribute("p", "data_type", "replaced");
    file.set_attribute("p", "data_type", "float");
    file.set_attribute("p", "empty", "");
    file.set_attribute("p", "longest", longest);
    file.commit();
  }
  {
    const File file = File::open(path, world());
    EXPECT_EQ(file.attribute("/", "file_type"), "output");
    EXPECT_EQ(file.attribute("p", "data_type"), "float");
    EXPECT_EQ(file.attribute("p", "empty"), "");
    EXPECT_EQ(file.attribute("p", "longest"), longest);
    EXPECT_FALSE(file.has_attribute("p", "file_type"));
  }
  if (test::rank_of(world()) != 0) return;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(file, "file_type", H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  EXPECT_EQ(H5Tget_class(type), H5T_STRING);
  EXPECT_EQ(H5Tget_size(type), 7u);
  EXPECT_EQ(H5Tget_strpad(type), H5T_STR_NULLTERM);
  EXPECT_EQ(H5Tis_variable_str(type), 0);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(file);
}

} // namespace
