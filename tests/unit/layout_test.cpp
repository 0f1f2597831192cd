/// Tests BlockDistribution and Layout against numbers counted by hand.

#include "hybridfft/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "hybridfft/error.hpp"

namespace hybridfft {
namespace {

/// Returns the points of each part, assigned in blocks, one rank after the other.
std::vector<std::vector<std::ptrdiff_t>> deal(std::ptrdiff_t n, int parts, std::ptrdiff_t block) {
  std::vector<std::vector<std::ptrdiff_t>> owned(static_cast<std::size_t>(parts));
  std::size_t part = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    if (static_cast<std::ptrdiff_t>(owned[part].size()) == block) ++part;
    owned[part].push_back(i);
  }
  return owned;
}

void expect_dealt(const BlockDistribution &d, std::ptrdiff_t n, int parts, std::ptrdiff_t block) {
  const auto owned = deal(n, parts, block);
  int working = 0;
  for (int part = 0; part < parts; ++part) {
    const auto &mine = owned[static_cast<std::size_t>(part)];
    EXPECT_EQ(d.count(part), static_cast<std::ptrdiff_t>(mine.size()));
    EXPECT_EQ(d.start(part), mine.empty() ? n : mine.front());
    for (const std::ptrdiff_t i : mine)
      EXPECT_EQ(d.owner(i), part);
    working += mine.empty() ? 0 : 1;
  }
  EXPECT_EQ(d.working_parts(), working);
}

TEST(BlockDistribution, DefaultBlocksAreFftws) {
  for (std::ptrdiff_t n = 0; n <= 40; ++n)
    for (int parts = 1; parts <= 12; ++parts) {
      SCOPED_TRACE(::testing::Message() << n << " points over " << parts);
      std::ptrdiff_t block = 0;
      while (block * parts < n)
        ++block;
      const BlockDistribution d(n, parts);
      EXPECT_EQ(d.n(), n);
      EXPECT_EQ(d.parts(), parts);
      EXPECT_EQ(d.block(), std::max<std::ptrdiff_t>(block, 1));
      expect_dealt(d, n, parts, block);
    }
}

TEST(BlockDistribution, UserBlocks_TooSmall_AreRefused) {
  for (std::ptrdiff_t n = 1; n <= 20; ++n)
    for (int parts = 1; parts <= 8; ++parts)
      for (std::ptrdiff_t block = 1; block <= n + 3; ++block) {
        SCOPED_TRACE(::testing::Message() << n << " points over " << parts << " by " << block);
        if (block * parts < n) {
          EXPECT_THROW(BlockDistribution(n, parts, block), Error);
        } else {
          const BlockDistribution d(n, parts, block);
          EXPECT_EQ(d.block(), block);
          expect_dealt(d, n, parts, block);
        }
      }
}

TEST(BlockDistribution, InvalidArguments_AreRefused) {
  EXPECT_THROW(BlockDistribution(-1, 2), Error);
  EXPECT_THROW(BlockDistribution(4, 0), Error);
  EXPECT_THROW(BlockDistribution(4, -3), Error);
  EXPECT_THROW(BlockDistribution(4, 2, -2), Error);
  try {
    BlockDistribution(10, 3, 3);
    FAIL() << "3 blocks of 3 cannot hold 10 points";
  } catch (const Error &e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("10"), std::string::npos) << what;
    EXPECT_NE(what.find("at least 4"), std::string::npos) << what;
  }
}

/// Sums the parts of an axis in 128 bits, so the check itself cannot overflow.
__extension__ typedef __int128 Wide;

void expect_tiles(const BlockDistribution &d) {
  Wide next = 0;
  for (int part = 0; part < d.parts(); ++part) {
    ASSERT_GE(d.count(part), 0) << "part " << part;
    ASSERT_EQ(static_cast<Wide>(d.start(part)), next) << "part " << part;
    next += d.count(part);
    if (d.count(part) == 0) continue;
    ASSERT_EQ(d.owner(d.start(part)), part);
    ASSERT_EQ(d.owner(d.start(part) + d.count(part) - 1), part);
  }
  EXPECT_EQ(next, static_cast<Wide>(d.n()));
}

TEST(BlockDistribution, HugeExtentsDoNotOverflow) {
  constexpr std::ptrdiff_t largest = std::numeric_limits<std::ptrdiff_t>::max();
  constexpr std::ptrdiff_t two62 = std::ptrdiff_t{1} << 62U;
  for (const std::ptrdiff_t n : {two62 - 1, two62, two62 + 1, largest - 1, largest})
    for (const int parts : {1, 2, 3, 7, 64, 1000})
      for (const std::ptrdiff_t block : {std::ptrdiff_t{0}, n - n / 2, n - 1, n, largest}) {
        if (block != 0 && static_cast<Wide>(block) * parts < n) continue;
        SCOPED_TRACE(::testing::Message() << n << " points over " << parts << " by " << block);
        expect_tiles(BlockDistribution(n, parts, block));
      }
}

struct SlabCase {
  std::vector<std::ptrdiff_t> extents;
  Layout::SlabOptions options;
  int ranks;
};

std::vector<SlabCase> slab_cases() {
  std::vector<SlabCase> cases;
  const std::vector<std::vector<std::ptrdiff_t>> extents{
      {5, 3}, {1, 1}, {4, 7, 3}, {2, 6, 5}, {1, 1, 1}, {3, 2, 1, 4}, {2, 3, 2, 2, 3}};
  for (const auto &n : extents)
    for (const int ranks : {1, 2, 3, 5, 8})
      for (const bool transposed : {false, true})
        for (const std::ptrdiff_t howmany : {1, 3})
          for (const std::ptrdiff_t padding : {0, 2})
            for (const bool large_block : {false, true}) {
              const std::ptrdiff_t cut = n[transposed ? 1 : 0];
              const std::ptrdiff_t block = large_block ? (cut + ranks - 1) / ranks + 1 : 0;
              cases.push_back({n, {transposed, block, howmany, padding}, ranks});
            }
  return cases;
}

/// Visits a slab in memory order, and compares global() and locate() with the point that it visits.
void expect_walk(const Layout &layout, const SlabCase &c) {
  const auto d = static_cast<int>(c.extents.size());
  std::vector<int> order(c.extents.size());
  for (int i = 0; i < d; ++i)
    order[static_cast<std::size_t>(i)] = i;
  if (c.options.transposed) std::swap(order[0], order[1]);
  std::set<std::vector<std::ptrdiff_t>> seen;
  for (int rank = 0; rank < c.ranks; ++rank) {
    const auto first = static_cast<std::size_t>(order[0]);
    const std::ptrdiff_t n = c.extents[first];
    const std::ptrdiff_t block =
        c.options.block != 0 ? c.options.block : (n + c.ranks - 1) / c.ranks;
    const std::ptrdiff_t start = std::min(n, rank * block);
    const std::ptrdiff_t stop = std::min(n, start + block);
    EXPECT_EQ(layout.local_start(rank, order[0]), start);
    EXPECT_EQ(layout.local_count(rank, order[0]), stop - start);

    std::ptrdiff_t offset = 0;
    std::vector<std::ptrdiff_t> index(c.extents.size(), 0);
    const auto visit = [&](const auto &self, std::size_t position, bool padding) -> void {
      if (position == c.extents.size()) {
        for (std::ptrdiff_t v = 0; v < c.options.howmany; ++v, ++offset) {
          std::vector<std::ptrdiff_t> found(c.extents.size(), -1);
          EXPECT_EQ(layout.global(rank, offset, found), !padding);
          if (padding) continue;
          EXPECT_EQ(found, index);
          if (v != 0) continue;
          EXPECT_TRUE(seen.insert(index).second) << "owned twice";
          const Layout::Location where = layout.locate(index);
          EXPECT_EQ(where.rank, rank);
          EXPECT_EQ(where.offset, offset);
        }
        return;
      }
      const auto axis = static_cast<std::size_t>(order[position]);
      const bool last = position + 1 == c.extents.size();
      const std::ptrdiff_t from = position == 0 ? start : 0;
      const std::ptrdiff_t to = position == 0 ? stop : c.extents[axis];
      for (index[axis] = from; index[axis] < to + (last ? c.options.last_padding : 0);
           ++index[axis])
        self(self, position + 1, padding || index[axis] >= to);
    };
    visit(visit, 0, false);
    EXPECT_EQ(layout.local_size(rank), offset);
  }
  std::ptrdiff_t points = 1;
  for (const std::ptrdiff_t n : c.extents)
    points *= n;
  EXPECT_EQ(static_cast<std::ptrdiff_t>(seen.size()), points);
}

TEST(Layout, SlabsTileTheArrayAndInvert) {
  for (const SlabCase &c : slab_cases()) {
    const Layout layout = Layout::slab(c.extents, c.ranks, c.options);
    SCOPED_TRACE(::testing::Message() << layout.describe() << " over " << c.ranks << " ranks");
    EXPECT_EQ(layout.ranks(), c.ranks);
    EXPECT_EQ(layout.dimensions(), static_cast<int>(c.extents.size()));
    expect_walk(layout, c);
    if (HasFailure()) return;
  }
}

TEST(Layout, PencilsNumberRanksRowMajorOverTheGrid) {
  // n2 is the slowest axis and distributed over 2 ranks, n0 over 3 ranks, n1 not at all.
  const Layout layout({{2, BlockDistribution(5, 2), 0},
                       {0, BlockDistribution(7, 3), 0},
                       {1, BlockDistribution(2, 1), 1}},
                      2);
  EXPECT_EQ(layout.ranks(), 6);
  std::map<std::pair<int, std::ptrdiff_t>, int> taken;
  for (std::ptrdiff_t i = 0; i < 7; ++i)
    for (std::ptrdiff_t j = 0; j < 2; ++j)
      for (std::ptrdiff_t k = 0; k < 5; ++k) {
        const std::vector<std::ptrdiff_t> index{i, j, k};
        const Layout::Location where = layout.locate(index);
        EXPECT_EQ(where.rank, (k / 3) * 3 + i / 3);
        const std::ptrdiff_t local0 = std::min<std::ptrdiff_t>(3, 7 - i / 3 * 3);
        EXPECT_EQ(where.offset, ((k % 3 * local0 + i % 3) * 3 + j) * 2);
        EXPECT_EQ((++taken[{where.rank, where.offset}]), 1);
        std::vector<std::ptrdiff_t> found(3);
        EXPECT_TRUE(layout.global(where.rank, where.offset + 1, found));
        EXPECT_EQ(found, index);
      }
}

TEST(Layout, HugeArraysAreLocatedExactly) {
  constexpr std::ptrdiff_t n = std::ptrdiff_t{1} << 30U;
  const std::vector<std::ptrdiff_t> extents{n, n, 3};
  const Layout layout = Layout::slab(extents, 1000, {true, 0, 1, 0});
  const std::ptrdiff_t block = (n + 999) / 1000;
  const std::vector<std::ptrdiff_t> last{n - 1, n - 1, 2};
  const Layout::Location where = layout.locate(last);
  EXPECT_EQ(where.rank, static_cast<int>((n - 1) / block));
  const std::ptrdiff_t local = n - where.rank * block;
  EXPECT_EQ(where.offset, local * n * 3 - 1);
  EXPECT_EQ(layout.local_size(where.rank), local * n * 3);
  std::vector<std::ptrdiff_t> found(3);
  EXPECT_TRUE(layout.global(where.rank, where.offset, found));
  EXPECT_EQ(found, last);
}

TEST(Layout, InvalidOrders_AreRefused) {
  const BlockDistribution d(4, 1);
  EXPECT_THROW(Layout({{0, d, 0}, {0, d, 0}}), Error);
  EXPECT_THROW(Layout({{0, d, 0}, {2, d, 0}}), Error);
  EXPECT_THROW(Layout({{-1, d, 0}, {0, d, 0}}), Error);
  EXPECT_THROW(Layout({{0, d, -1}}), Error);
  EXPECT_THROW(Layout({{0, d, 0}}, 0), Error);
}

TEST(Layout, EqualityAndDescription) {
  const std::vector<std::ptrdiff_t> n{21, 40, 22};
  const Layout a = Layout::slab(n, 4, {true, 0, 2, 1});
  EXPECT_EQ(a.describe(), "n1(40/4) n0(21) n2(22+1) x2");
  EXPECT_EQ(a, Layout::slab(n, 4, {true, 0, 2, 1}));
  EXPECT_NE(a, Layout::slab(n, 4, {false, 0, 2, 1}));
  EXPECT_NE(a, Layout::slab(n, 5, {true, 0, 2, 1}));
  EXPECT_NE(a, Layout::slab(n, 4, {true, 11, 2, 1}));
  EXPECT_NE(a, Layout::slab(n, 4, {true, 0, 1, 1}));
  EXPECT_NE(a, Layout::slab(n, 4, {true, 0, 2, 0}));
}

TEST(LayoutView, ForEachVisitsLocalDataInMemoryOrder) {
  const std::vector<std::ptrdiff_t> n{5, 4, 3};
  const LayoutView view(Layout::slab(n, 2, {true, 0, 2, 1}), 1);
  EXPECT_EQ(view.count(1), 2);
  EXPECT_EQ(view.start(1), 2);
  EXPECT_EQ(view.size(), 2 * 5 * 4 * 2);
  std::ptrdiff_t expected = 0;
  view.for_each<3>([&](std::ptrdiff_t offset, const std::array<std::ptrdiff_t, 3> &index) {
    const std::ptrdiff_t point =
        expected / 2; // index of a point in the 2 x 5 x 3 points, without padding
    EXPECT_EQ(index[1], 2 + point / 15);
    EXPECT_EQ(index[0], point / 3 % 5);
    EXPECT_EQ(index[2], point % 3);
    EXPECT_EQ(offset, (point / 3 * 4 + point % 3) * 2 + expected % 2);
    ++expected;
  });
  EXPECT_EQ(expected, 2 * 5 * 3 * 2);
}

} // namespace
} // namespace hybridfft
