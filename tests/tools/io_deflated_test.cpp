// Tests reading of compressed datasets as other programs write them: deflated with and without
// shuffle, with missing chunks, or with chunks that skip a filter. HDF5 writes the files on one
// rank. Expected values are a formula of the index.
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "io/box.h"
#include "io/handle.h"
#include "io/hdf5.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using io::Handle;
using io::Hyperslab;
using io::own;
using io::Shape;
using test::world;

const Shape shape{7, 6, 11};
const std::vector<hsize_t> extent(shape.begin(), shape.end());

/// Returns the values of the dataset: their four bytes differ, so that wrong shuffling is noticed.
std::vector<float> values() {
  std::vector<float> all(io::volume(shape));
  for (std::size_t n = 0; n < all.size(); ++n)
    all[n] = 1.f / static_cast<float>(n + 3);
  return all;
}

struct Storage {
  bool shuffle = false, deflate = true, fletcher = false;
  hsize_t planes_of_chunk = 3;
};

/// Creates a chunked dataset with the fill value -3 and writes its first `planes` planes.
Handle make_dataset(hid_t file, const char *name, const Storage &storage, hsize_t planes = 7) {
  const Handle properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  const hsize_t chunk[3] = {storage.planes_of_chunk, 2, 5};
  H5Pset_chunk(properties.get(), 3, chunk);
  const float fill = -3;
  H5Pset_fill_value(properties.get(), H5T_NATIVE_FLOAT, &fill);
  if (storage.fletcher) H5Pset_fletcher32(properties.get());
  if (storage.shuffle) H5Pset_shuffle(properties.get());
  if (storage.deflate) H5Pset_deflate(properties.get(), 4);
  const Handle space = own(H5Screate_simple(3, extent.data(), nullptr), H5Sclose, name);
  Handle dataset = own(H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space.get(), H5P_DEFAULT,
                                  properties.get(), H5P_DEFAULT),
                       H5Dclose, name);
  const hsize_t start[3] = {0, 0, 0}, count[3] = {planes, extent[1], extent[2]};
  const Handle part = own(H5Screate_simple(3, count, nullptr), H5Sclose, name);
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, count, nullptr);
  EXPECT_GE(H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, part.get(), space.get(), H5P_DEFAULT,
                     values().data()),
            0);
  return dataset;
}

/// Writes the first chunk again as raw data, without filters.
void skip_filters(hid_t dataset) {
  const std::vector<float> all = values();
  std::vector<float> first(3 * 2 * 5);
  io::gather(reinterpret_cast<const std::byte *>(all.data()), shape, {{0, 0, 0}, {3, 2, 5}},
             sizeof(float), reinterpret_cast<std::byte *>(first.data()));
  const hsize_t origin[3] = {0, 0, 0};
  EXPECT_GE(
      H5Dwrite_chunk(dataset, H5P_DEFAULT, 3, origin, first.size() * sizeof(float), first.data()),
      0);
}

/// Compares the whole dataset, and boxes of it read by one and three threads, with the values.
void expect_values(const io::File &file, const std::string &name, const std::vector<float> &all) {
  EXPECT_EQ(file.read_all<float>(name), all) << name;
  for (const Hyperslab &box :
       {Hyperslab{{0, 0, 0}, shape}, Hyperslab{{1, 3, 2}, {5, 2, 9}},
        Hyperslab{{6, 5, 10}, {1, 1, 1}}, Hyperslab{{2, 0, 0}, {0, 6, 11}}}) {
    std::vector<float> expected(all.size(), 0.f), found = expected;
    Shape at(3);
    for (at[0] = 0; at[0] < box.count[0]; ++at[0])
      for (at[1] = 0; at[1] < box.count[1]; ++at[1])
        for (at[2] = 0; at[2] < box.count[2]; ++at[2]) {
          const std::size_t n = io::offset_of(
              {box.offset[0] + at[0], box.offset[1] + at[1], box.offset[2] + at[2]}, shape);
          expected[n] = all[n];
        }
    for (const int threads : {1, 3}) {
      std::fill(found.begin(), found.end(), 0.f);
      file.read_runs<float>(name, box, threads, [&](std::size_t first, std::span<const float> run) {
        std::copy(run.begin(), run.end(), found.begin() + static_cast<std::ptrdiff_t>(first));
      });
      EXPECT_EQ(found, expected) << name << ", " << threads << " threads";
    }
  }
}

TEST(IoDeflated, OtherPrograms_AreRead) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  if (test::rank_of(world()) == 0) {
    const Handle file =
        own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, path);
    make_dataset(file.get(), "deflated", {});
    make_dataset(file.get(), "shuffled", {true});
    make_dataset(file.get(), "shuffled alone", {true, false});
    make_dataset(file.get(), "checked", {false, true, true});
    make_dataset(file.get(), "in part", {true}, 3);
    skip_filters(make_dataset(file.get(), "skipped", {true}).get());
  }
  MPI_Barrier(world());
  const io::File file = io::File::open(path, world());
  for (const char *name : {"deflated", "shuffled", "shuffled alone", "checked", "skipped"})
    expect_values(file, name, values());
  std::vector<float> part = values();
  std::fill(part.begin() + 3 * 6 * 11, part.end(), -3.f);
  expect_values(file, "in part", part);
}

/// Expects that reading as T fails on this rank with a message containing `said`.
template <class T = float> void expect_refused(const std::string &path, const std::string &said) {
  const io::File file = io::File::open(path, world());
  for (const int threads : {1, 3})
    try {
      file.read_runs<T>("d", {{0, 0, 0}, shape}, threads, [](auto, auto) {});
      ADD_FAILURE() << "read on " << threads << " threads";
    } catch (const io::IoError &e) {
      EXPECT_NE(std::string(e.what()).find("a.h5: dataset 'd'"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
    }
}

TEST(IoDeflated, DamagedChunk_IsRefused) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  if (test::rank_of(world()) == 0) {
    haddr_t address = 0;
    {
      const Handle file =
          own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, path);
      const Handle dataset = make_dataset(file.get(), "d", {});
      H5Fflush(file.get(), H5F_SCOPE_LOCAL);
      unsigned skipped = 0;
      hsize_t bytes = 0;
      const hsize_t origin[3] = {3, 2, 5};
      EXPECT_GE(H5Dget_chunk_info_by_coord(dataset.get(), origin, &skipped, &address, &bytes), 0);
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(address) + 8);
    file << "damaged";
  }
  MPI_Barrier(world());
  expect_refused(path, "cannot be read");
}

/// Creates a dataset "d" in chunks of three planes. The compressed bytes of one chunk unpack to
/// `planes` planes instead.
void make_odd_chunk(const std::string &path, bool shuffle, hsize_t planes) {
  if (test::rank_of(world()) == 0) {
    const Handle file =
        own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, path);
    const Handle whole = make_dataset(file.get(), "d", {.shuffle = shuffle});
    const Handle other =
        make_dataset(file.get(), "other", {.shuffle = shuffle, .planes_of_chunk = planes});
    H5Fflush(file.get(), H5F_SCOPE_LOCAL);
    const hsize_t origin[3] = {0, 2, 5};
    hsize_t bytes = 0;
    EXPECT_GE(H5Dget_chunk_storage_size(other.get(), origin, &bytes), 0);
    std::vector<std::byte> packed(bytes);
    unsigned skipped = 0;
    EXPECT_GE(H5Dread_chunk(other.get(), H5P_DEFAULT, origin, &skipped, packed.data()), 0);
    EXPECT_GE(H5Dwrite_chunk(whole.get(), H5P_DEFAULT, 0, origin, packed.size(), packed.data()), 0);
  }
  MPI_Barrier(world());
}

// HDF5 would return undefined values for missing planes, and write additional ones beyond its
// memory.
TEST(IoDeflated, Chunk_OfOtherSize_IsRefused) {
  if (HFFT_LIBDEFLATE == 0) GTEST_SKIP() << "HDF5 unpacks chunks";
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  for (const bool shuffle : {false, true})
    for (const auto &[planes, said] : {std::pair<hsize_t, std::string>{2, "less"}, {4, "more"}}) {
      make_odd_chunk(path, shuffle, planes);
      expect_refused(path, "a chunk unpacks to " + said + " than the expected 120 bytes");
      expect_refused<double>(path, "a chunk unpacks to " + said + " than the expected 120 bytes");
      MPI_Barrier(world());
    }
}

TEST(IoDeflated, ChunkWithSkippedFilter_OfOtherSize_IsRefused) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  const Storage deflated, shuffled{.shuffle = true}, checked{.fletcher = true},
      shuffled_alone{.shuffle = true, .deflate = false};
  for (const auto &[storage, mask] : {std::pair{deflated, 1U},
                                      {shuffled, 2U},
                                      {shuffled, 3U},
                                      {checked, 3U},
                                      {shuffled_alone, 0U},
                                      {shuffled_alone, 1U}})
    for (const std::size_t values : {29U, 31U}) {
      if (test::rank_of(world()) == 0) {
        const Handle file =
            own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, path);
        const Handle dataset = make_dataset(file.get(), "d", storage);
        const std::vector<float> chunk(values, 1.f);
        const hsize_t origin[3] = {3, 2, 5};
        EXPECT_GE(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, mask, origin, values * sizeof(float),
                                 chunk.data()),
                  0);
      }
      MPI_Barrier(world());
      const std::string said = "a chunk without packing has " + std::to_string(4 * values) +
                               " bytes, " + (values < 30 ? "less" : "more") +
                               " than the expected 120 bytes";
      expect_refused(path, said);
      expect_refused<double>(path, said);
      MPI_Barrier(world());
    }
}

/// Creates an extendible dataset "d" of few values in one chunk of `planes` planes of 256 KiB.
void make_large_chunk(const std::string &path, hsize_t planes, bool deflate) {
  if (test::rank_of(world()) == 0) {
    const Handle file =
        own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, path);
    const Handle properties = own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, path);
    const hsize_t chunk[3] = {planes, 256, 256};
    const hsize_t any[3] = {H5S_UNLIMITED, H5S_UNLIMITED, H5S_UNLIMITED};
    H5Pset_chunk(properties.get(), 3, chunk);
    if (deflate) H5Pset_deflate(properties.get(), 1);
    const Handle space = own(H5Screate_simple(3, extent.data(), any), H5Sclose, path);
    const Handle dataset = own(H5Dcreate2(file.get(), "d", H5T_NATIVE_FLOAT, space.get(),
                                          H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                               H5Dclose, path);
    EXPECT_GE(
        H5Dwrite(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values().data()),
        0);
  }
  MPI_Barrier(world());
}

TEST(IoDeflated, ChunkFarLargerThanDataset_IsRefusedIfPacked) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  make_large_chunk(path, 65, true);
  expect_refused(path, "is stored in chunks of 65 x 256 x 256, 17039360 bytes, which its shape "
                       "7 x 6 x 11 does not need; expected 7 x 6 x 11 or at most 16777216 bytes");
  MPI_Barrier(world());
  for (const auto &[planes, deflate] : {std::pair<hsize_t, bool>{64, true}, {65, false}}) {
    make_large_chunk(path, planes, deflate);
    EXPECT_EQ(io::File::open(path, world()).read_all<float>("d"), values());
    MPI_Barrier(world());
  }
}

} // namespace
