// Tests MPI datatypes of any size: the bytes they select, and sizes beyond the memory of any test.
#include "exchange/mpi_handles.h"

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <numeric>
#include <vector>

#include "exchange/block_order.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::exchange;

/// Returns the bytes selected by a type, in its order, from a buffer of 0, 1, 2, ...
std::vector<unsigned char> selected(const Datatype &type) {
  std::array<unsigned char, 256> buffer{};
  std::iota(buffer.begin(), buffer.end(), static_cast<unsigned char>(0));
  int size = 0;
  MPI_Type_size(type.get(), &size);
  std::vector<unsigned char> packed(static_cast<std::size_t>(size));
  int position = 0;
  MPI_Pack(buffer.data(), 1, type.get(), packed.data(), size, &position, MPI_COMM_SELF);
  EXPECT_EQ(position, size);
  return packed;
}

TEST(Datatype, LoopsNest) {
  const std::array<Repeat, 2> loops{{{3, 50}, {4, 10}}};
  std::vector<unsigned char> expected;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int b = 0; b < 5; ++b)
        expected.push_back(static_cast<unsigned char>(7 + 50 * i + 10 * j + b));
  for (const std::ptrdiff_t limit : {INT_MAX, 1, 2, 3, 4})
    EXPECT_EQ(selected(Datatype(7, loops, 5, limit)), expected) << "limit " << limit;
}

TEST(Datatype, AdjacentRuns_AreJoined) {
  const std::array<Repeat, 2> loops{{{3, 20}, {4, 5}}};
  std::vector<unsigned char> expected(60);
  std::iota(expected.begin(), expected.end(), static_cast<unsigned char>(0));
  for (const std::ptrdiff_t limit : {INT_MAX, 1, 7})
    EXPECT_EQ(selected(Datatype(0, loops, 5, limit)), expected) << "limit " << limit;
}

TEST(Datatype, RangesFollowEachOther) {
  const std::array<ByteRange, 3> ranges{{{100, 3}, {10, 2}, {50, 4}}};
  const std::vector<unsigned char> expected{100, 101, 102, 10, 11, 50, 51, 52, 53};
  for (const std::ptrdiff_t limit : {INT_MAX, 1, 2, 3})
    EXPECT_EQ(selected(Datatype(ranges, limit)), expected) << "limit " << limit;
}

/// Each of two ranks sends a block of 2^32 points to the other. A point has 2 x 3 values
/// of 16 bytes, so a message has 412 GB.
TEST(Datatype, BlocksBeyondTwoToTheThirtyFirst) {
  const std::ptrdiff_t n = 1 << 17;
  const Transposition t{BlockDistribution(n, 2), BlockDistribution(n, 2), 6, sizeof(double)};
  const std::ptrdiff_t points = n / 2 * (n / 2);
  ASSERT_GT(points, std::ptrdiff_t{INT_MAX});
  const MPI_Count bytes = points * 6 * 16;
  for (const bool tight : {false, true})
    for (const bool final : {false, true}) {
      const Order order{tight, final};
      for (const Block &b : {send_block(t, 0, 1, order), receive_block(t, 0, 1, order)}) {
        const Datatype type = block_type(b, order, t.element_bytes(), b.base * 16, INT_MAX);
        MPI_Count size = 0;
        MPI_Type_size_x(type.get(), &size);
        EXPECT_EQ(size, bytes);
        MPI_Count first = 0;
        MPI_Count extent = 0;
        MPI_Type_get_true_extent_x(type.get(), &first, &extent);
        EXPECT_EQ(first, b.base * 16);
        // The extent reaches from the first element to the last one.
        EXPECT_EQ(extent,
                  ((b.rows - 1) * b.row_stride + (b.columns - 1) * b.column_stride + 6) * 16);
      }
    }
  const std::array<ByteRange, 2> ranges{{{0, bytes}, {2 * bytes, bytes}}};
  const Datatype both(ranges, INT_MAX);
  MPI_Count size = 0;
  MPI_Type_size_x(both.get(), &size);
  EXPECT_EQ(size, 2 * bytes);
}

} // namespace
