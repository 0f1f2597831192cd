// Tests reading and writing of boxes of datasets, for all types, storage layouts and memory
// layouts. Expected values are a formula of the global index. Values must be equal, since transfers
// do no arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <map>
#include <numeric>

#include "hybridfft/layout.hpp"
#include "io/box.h"
#include "io/hdf5.h"
#include "support/mpi_test.h"
#include "support/scratch_directory.h"

namespace {

using namespace hybridfft;
using io::CreateOptions;
using io::File;
using io::Hyperslab;
using io::Shape;

using test::world;

/// Returns the value at index i, small enough to be exact in every type.
template <class T> T value_at(std::size_t i) { return static_cast<T>(i % 1000003); }
template <> std::complex<float> value_at(std::size_t i) {
  return {static_cast<float>(i), -0.5f * static_cast<float>(i)};
}
template <> std::complex<double> value_at(std::size_t i) {
  return {static_cast<double>(i), -0.5 * static_cast<double>(i)};
}

template <class T> std::vector<T> values_of(const Shape &shape) {
  std::vector<T> values(io::volume(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = value_at<T>(i);
  return values;
}

/// Returns this rank's box: its block of `axis` by FFTW's rule, and the whole range of other axes.
Hyperslab slab(const Shape &shape, std::size_t axis) {
  const BlockDistribution blocks(static_cast<std::ptrdiff_t>(shape[axis]), test::size_of(world()));
  Hyperslab box{Shape(shape.size(), 0), shape};
  box.offset[axis] = static_cast<std::size_t>(blocks.start(test::rank_of(world())));
  box.count[axis] = static_cast<std::size_t>(blocks.count(test::rank_of(world())));
  return box;
}

/// Returns an array of shape `extent`. Its first box.count entries along each axis have the values
/// of the box in a dataset of the given shape. All other entries are `guard`.
template <class T>
std::vector<T> array_with(const Hyperslab &box, const Shape &shape, const Shape &extent, T guard) {
  std::vector<T> array(io::volume(extent), guard);
  const std::size_t n = io::volume(box.count);
  Shape index(shape.size(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    Shape global = index;
    for (std::size_t d = 0; d < index.size(); ++d)
      global[d] += box.offset[d];
    array[io::offset_of(index, extent)] = value_at<T>(io::offset_of(global, shape));
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < box.count[d]) break;
      index[d] = 0;
    }
  }
  return array;
}

/// Returns the extents of an array with two more elements in each row and one more row per plane.
Shape padded(const Shape &count) {
  Shape extent = count;
  extent.back() += 2;
  if (extent.size() > 1) extent[extent.size() - 2] += 1;
  return extent;
}

/// Each rank writes its block of one axis from padded memory, then reads its block of another axis
/// into padded memory. All ranks also read the whole dataset.
template <class T>
void round_trip(const Shape &shape, std::size_t written_axis, std::size_t read_axis,
                const CreateOptions &options = {}) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  const auto guard = static_cast<T>(-77);
  {
    File file = File::create(path, world());
    file.create_dataset<T>("group/data", shape, options);
    const Hyperslab box = slab(shape, written_axis);
    const Shape extent = padded(box.count);
    file.write("group/data", box, array_with<T>(box, shape, extent, guard).data(), {extent});
    EXPECT_EQ(file.read_all<T>("group/data"), values_of<T>(shape));
    file.commit();
  }
  const File file = File::open(path, world());
  EXPECT_EQ(file.info("group/data").shape, shape);
  EXPECT_EQ(file.info("group/data").bytes, sizeof(T));
  EXPECT_EQ(file.read_all<T>("group/data"), values_of<T>(shape));
  const Hyperslab box = slab(shape, read_axis);
  const Shape extent = padded(box.count);
  std::vector<T> read(io::volume(extent), guard);
  file.read("group/data", box, read.data(), {extent});
  EXPECT_EQ(read, array_with<T>(box, shape, extent, guard));
}

template <class T> class IoTypes : public testing::Test {};
using Types = testing::Types<float, double, std::int32_t, std::int64_t, std::uint64_t,
                             std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(IoTypes, Types);

TYPED_TEST(IoTypes, SlabsSurvive) { round_trip<TypeParam>({5, 3, 4}, 0, 0); }
TYPED_TEST(IoTypes, BoxesWithGapsInTheFileSurvive) { round_trip<TypeParam>({4, 7, 3}, 1, 2); }
TYPED_TEST(IoTypes, CompressedSlabsSurvive) {
  round_trip<TypeParam>({9, 3, 4}, 0, 1, {{1, 3, 4}, 6});
}

TYPED_TEST(IoTypes, WholeDatasetsSurvive) {
  const test::ScratchDirectory scratch(world());
  const Shape shape{2, 3};
  File file = File::create(scratch.file("a.h5"), world());
  file.write_all<TypeParam>("all", shape, values_of<TypeParam>(shape));
  file.write_all<TypeParam>("scalar", {}, {value_at<TypeParam>(7)});
  file.write_all<TypeParam>("packed", shape, values_of<TypeParam>(shape), {{2, 2}, 1});
  EXPECT_EQ(file.read_all<TypeParam>("all"), values_of<TypeParam>(shape));
  EXPECT_EQ(file.read_all<TypeParam>("packed"), values_of<TypeParam>(shape));
  EXPECT_EQ(file.read_all<TypeParam>("scalar"), std::vector<TypeParam>{value_at<TypeParam>(7)});
  EXPECT_EQ(file.info("scalar").shape, Shape{});
}

TEST(IoBoxes, AnyChunks_SameValues) {
  round_trip<float>({8, 9, 10}, 0, 1, {{3, 4, 5}, -1});
  round_trip<float>({8, 9, 10}, 1, 0, {{3, 4, 5}, -1});
  round_trip<float>({8, 9, 10}, 2, 2, {{3, 4, 5}, 4});
  round_trip<float>({8, 9, 10}, 0, 0, {{1, 1, 10}, 0});
}

TEST(IoBoxes, FewerPlanesThanRanks_SameValues) {
  round_trip<double>({1, 5, 6}, 0, 0);
  round_trip<double>({2, 1, 6}, 1, 0, {{1, 1, 6}, 3});
}

TEST(IoBoxes, OneAndFourDimensions_SameValues) {
  round_trip<std::uint64_t>({17}, 0, 0);
  round_trip<float>({3, 2, 5, 4}, 2, 0);
}

TEST(IoBoxes, RowsOneAtATime_SameValues) {
  const test::ScratchDirectory scratch(world());
  const Shape shape{1, 6, 11};
  for (const int level : {0, 5}) {
    File file = File::create(scratch.file("series.h5"), world());
    file.create_dataset<float>("p", shape, {{1, 1, 11}, level});
    for (std::size_t row = 0; row < 6; ++row) {
      Hyperslab box = slab(shape, 2);
      box.offset[1] = row;
      box.count[1] = 1;
      file.write("p", box, array_with<float>(box, shape, box.count, 0.f).data());
    }
    file.commit();
    EXPECT_EQ(File::open(scratch.file("series.h5"), world()).read_all<float>("p"),
              values_of<float>(shape));
  }
}

TEST(IoBoxes, OtherNumberSizes_AreConverted) {
  const test::ScratchDirectory scratch(world());
  const Shape shape{4, 3, 5};
  File file = File::create(scratch.file("a.h5"), world());
  file.create_dataset<double>("double", shape);
  file.create_dataset<std::complex<float>>("complex", shape);
  const Hyperslab box = slab(shape, 0);
  file.write("double", box, array_with<float>(box, shape, box.count, 0.f).data());
  file.write("complex", box, array_with<std::complex<double>>(box, shape, box.count, 0.).data());
  file.write_all<std::int64_t>("integers", shape, values_of<std::int64_t>(shape));
  EXPECT_EQ(file.read_all<double>("double"), values_of<double>(shape));
  EXPECT_EQ(file.read_all<float>("double"), values_of<float>(shape));
  EXPECT_EQ(file.read_all<std::complex<double>>("complex"), values_of<std::complex<double>>(shape));
  EXPECT_EQ(file.read_all<std::int32_t>("integers"), values_of<std::int32_t>(shape));
  EXPECT_EQ(file.read_all<std::uint64_t>("integers"), values_of<std::uint64_t>(shape));
}

TEST(IoBoxes, Update_ChangesNothingElse) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  {
    File file = File::create(path, world());
    file.write_all<float>("kept", {3}, {1, 2, 3});
    file.write_all<float>("changed", {3}, {1, 2, 3});
    file.commit();
  }
  {
    File file = File::create_copy(path, world());
    const bool first = test::rank_of(world()) == 0;
    const float seven = 7;
    file.write("changed", {{1}, {first ? 1u : 0u}}, &seven);
    file.commit();
  }
  const File file = File::open(path, world());
  EXPECT_EQ(file.read_all<float>("kept"), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(file.read_all<float>("changed"), (std::vector<float>{1, 7, 3}));
}

// Pieces must cover a box exactly once, in order, and respect the limit.
TEST(IoBoxes, Pieces_TileTheBox) {
  const Shape count{3, 4, 5};
  for (std::size_t most = 1; most <= 70; ++most) {
    const io::Pieces pieces(count, most);
    std::size_t next = 0;
    for (std::size_t i = 0; i < pieces.number(); ++i) {
      const Hyperslab piece = pieces[i];
      EXPECT_LE(io::volume(piece.count), most);
      EXPECT_TRUE(io::is_run(piece.count, count));
      EXPECT_EQ(io::offset_of(piece.offset, count), next) << "piece " << i << ", most " << most;
      next += io::volume(piece.count);
    }
    EXPECT_EQ(next, 60u) << "most " << most;
  }
  EXPECT_EQ(io::Pieces({3, 0, 5}, 10).number(), 0u);
}

// The pieces of a chunked box must contain each element once. No two pieces may share a chunk. A
// piece may exceed the limit only if it has a single chunk.
TEST(IoBoxes, PiecesOfChunks_TileTheBox) {
  const Hyperslab box{{2, 1, 3}, {7, 8, 6}};
  for (const Shape &chunk : {Shape{1, 9, 9}, Shape{3, 4, 2}, Shape{2, 20, 3}, Shape{16, 16, 16}})
    for (const std::size_t most : {1U, 7U, 12U, 24U, 48U, 100U, 336U, 1000U}) {
      const io::Pieces pieces(box, chunk, most);
      std::vector<int> found(io::volume(box.count), 0);
      std::map<Shape, std::size_t> piece_of;
      for (std::size_t i = 0; i < pieces.number(); ++i) {
        const Hyperslab piece = pieces[i];
        const std::size_t elements = io::volume(piece.count);
        EXPECT_LE(elements, std::max(most, io::volume(chunk)));
        EXPECT_LE(elements, pieces.most());
        for (std::size_t e = 0; e < elements; ++e) {
          Shape at = piece.offset, in_chunk(3);
          std::size_t rest = e;
          for (std::size_t d = 3; d-- > 0; rest /= piece.count[d]) {
            at[d] += rest % piece.count[d];
            in_chunk[d] = (at[d] + box.offset[d]) / chunk[d];
          }
          ++found[io::offset_of(at, box.count)];
          EXPECT_EQ(piece_of.emplace(in_chunk, i).first->second, i);
        }
      }
      EXPECT_EQ(found, std::vector<int>(found.size(), 1)) << "most " << most;
    }
}

// The boxes of a range of elements must cover it exactly once, for all starts and ends.
TEST(IoBoxes, Boxes_TileTheRun) {
  for (const Shape &extent : {Shape{3, 4, 5}, Shape{1, 6, 1}, Shape{60}, Shape{2, 1, 3, 2}}) {
    const std::size_t all = io::volume(extent);
    for (std::size_t first = 0; first <= all; ++first)
      for (std::size_t count = 0; count <= all - first; ++count) {
        std::size_t next = first;
        const std::vector<Hyperslab> boxes = io::boxes_of_run(extent, first, count);
        EXPECT_LE(boxes.size(), 2 * extent.size() - 1);
        for (const Hyperslab &box : boxes) {
          EXPECT_TRUE(io::is_run(box.count, extent));
          EXPECT_EQ(io::offset_of(box.offset, extent), next);
          next += io::volume(box.count);
        }
        EXPECT_EQ(next, first + count);
      }
    EXPECT_THROW(io::boxes_of_run(extent, 1, all), io::IoError);
  }
}

// Each value of a box, or of a range of elements, must be passed once with its index, for any
// shape, storage, type and number of threads.
TEST(IoBoxes, AnyRuns_SameValues) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("a.h5");
  const Shape shape{4, 6, 5};
  {
    File file = File::create(path, world());
    file.write_all<float>("plain", shape, values_of<float>(shape));
    file.write_all<float>("chunked", shape, values_of<float>(shape), {{1, 6, 5}, 0});
    file.write_all<float>("packed", shape, values_of<float>(shape), {{3, 2, 5}, 4});
    file.write_all<double>("doubles", shape, values_of<double>(shape), {{2, 4, 3}, 0});
    file.write_all<std::int64_t>("integers", shape, values_of<std::int64_t>(shape));
    file.commit();
  }
  const File file = File::open(path, world());
  // Each rank reads another part.
  const auto first = static_cast<std::size_t>(3 * test::rank_of(world()));
  const Hyperslab box{{1, first % 5, 2}, {3, 2, 2}};
  for (const char *name : {"plain", "chunked", "packed", "doubles", "integers"})
    for (const int threads : {1, 3}) {
      std::vector<float> found(56, -1.f);
      file.read_run(name, first, found.size(), found.data());
      std::vector<float> expected(io::volume(shape), -1.f);
      std::vector<float> runs = expected, boxed = expected, in_box = expected;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i], value_at<float>(first + i)) << name;
        expected[first + i] = value_at<float>(first + i);
      }
      const auto into = [](std::vector<float> &all) {
        return [&all](std::size_t at, std::span<const float> values) {
          for (const float value : values)
            all[at++] += value + 1;
        };
      };
      file.read_runs<float>(name, first, found.size(), threads, into(runs));
      EXPECT_EQ(runs, expected) << name << ", " << threads << " threads";
      for (std::size_t i = 0; i < in_box.size(); ++i)
        if (i / 30 >= 1 && i / 5 % 6 - box.offset[1] < 2 && i % 5 - 2 < 2)
          in_box[i] = value_at<float>(i);
      file.read_runs<float>(name, box, threads, into(boxed));
      EXPECT_EQ(boxed, in_box) << name << ", " << threads << " threads";
    }
}

/// Each rank writes its slab of a dataset by a thread in the background, and all ranks read the
/// dataset. Repeats this for slabs along each axis.
template <class T> void expect_written_behind(const Shape &shape, const CreateOptions &options) {
  const test::ScratchDirectory scratch(world());
  const std::string path = scratch.file("behind.h5");
  const std::vector<T> all = values_of<T>(shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    File file = File::create(path, world());
    file.create_dataset<T>("d", shape, options);
    const Hyperslab own = slab(shape, axis);
    const std::vector<T> mine = array_with<T>(own, shape, own.count, T{});
    // A slab along another axis is written in pieces, one for each index of the first dimension.
    // Time series are written in this way.
    if (axis == 0) {
      file.write_behind("d", own, mine.data());
    } else {
      for (std::size_t row = 0; row < shape[0]; ++row) {
        Hyperslab piece = own;
        piece.offset[0] = io::volume(own.count) == 0 ? 0 : row;
        piece.count[0] = io::volume(own.count) == 0 ? 0 : 1;
        file.write_behind("d", piece, mine.data() + row * io::volume(own.count) / shape[0]);
      }
    }
    file.settle();
    EXPECT_TRUE(file.template read_all<T>("d") == all) << "axis " << axis;
    file.commit();
    EXPECT_TRUE(File::open(path, world()).template read_all<T>("d") == all) << "axis " << axis;
  }
}

TEST(IoWrittenBehind, WritingThread_SameBits) {
  // One chunk for each index of the first dimension, as for time series.
  expect_written_behind<float>({5, 66, 260}, {{1, 66, 260}, 0});
  expect_written_behind<float>({5, 66, 260},
                               {{2, 31, 270 - 10}}); // the last chunks exceed the dataset
  expect_written_behind<double>({3, 7, 100, 101}, {{1, 2, 100, 101}, 0});
  // These chunks are too small for direct writes.
  expect_written_behind<float>({4, 3, 20}, {{1, 3, 20}, 0});
  expect_written_behind<float>({2, 66, 260}, {{1, 66, 260}, 1}); // compressed
  expect_written_behind<float>({2, 66, 260}, {});                // no chunks
}

} // namespace
