/// Tests layouts on process grids and of boxes against numbers counted by hand, and refusals of
/// invalid layouts.

#include <gtest/gtest.h>

#include <stdexcept>

#include "hybridfft/layout.hpp"

namespace hybridfft {
namespace {

using Index = std::vector<std::ptrdiff_t>;

/// Checks the offsets of all ranks. Each offset is padding or belongs to one point, every point has
/// an offset, and locate() agrees with global().
void expect_consistent(const Layout &l) {
  const Index n = l.extents();
  std::ptrdiff_t points = 0;
  Index index(n.size());
  for (int r = 0; r < l.ranks(); ++r)
    for (std::ptrdiff_t offset = 0; offset < l.local_size(r); ++offset) {
      if (!l.global(r, offset, index)) continue;
      ++points;
      const Layout::Location where = l.locate(index);
      ASSERT_EQ(where.rank, r);
      const std::ptrdiff_t field = (offset - where.offset) / l.field_stride(r);
      ASSERT_TRUE(field >= 0 && field < l.howmany());
      ASSERT_EQ(where.offset + field * l.field_stride(r), offset);
    }
  std::ptrdiff_t all = l.howmany();
  for (const std::ptrdiff_t i : n)
    all *= i;
  EXPECT_EQ(points, all);
}

TEST(LayoutGrid, Ranks_AnyMemoryOrder_AreNumberedOverTheAxes) {
  const Index n{4, 6, 5};
  const std::vector<int> parts{2, 3, 1};
  for (const std::vector<int> &order :
       {std::vector<int>{0, 1, 2}, std::vector<int>{2, 1, 0}, std::vector<int>{1, 2, 0}}) {
    const Layout l = Layout::grid(n, parts, {order, {}, 1, Fields::interleaved});
    EXPECT_EQ(l.ranks(), 6);
    // Rank 4 has the coordinates (1, 1, 0) of the process grid.
    EXPECT_EQ(l.box(4), (IndexBox{{2, 2, 0}, {2, 2, 5}}));
    expect_consistent(l);
  }
  // In memory order 2 1 0 the point (2, 3, 4) is point (4, 1, 0) of the 5 x 2 x 2 points of rank 4.
  const Layout turned = Layout::grid(n, parts, {{2, 1, 0}, {}, 1, Fields::interleaved});
  const auto where = turned.locate(Index{2, 3, 4});
  EXPECT_EQ(where.rank, 4);
  EXPECT_EQ(where.offset, 4 * 4 + 1 * 2 + 0);
}

TEST(LayoutGrid, PaddingAndFields) {
  const Index n{3, 5};
  const std::vector<int> parts{1, 2};
  const Layout beside = Layout::grid(n, parts, {{}, {0, 2}, 2, Fields::interleaved});
  EXPECT_EQ(beside.local_size(0), 2 * 3 * (3 + 2));
  EXPECT_EQ(beside.field_stride(0), 1);
  EXPECT_EQ(beside.locate(Index{1, 2}).offset, 2 * (5 + 2));
  const Layout apart = Layout::grid(n, parts, {{}, {0, 2}, 2, Fields::separate});
  EXPECT_EQ(apart.local_size(0), beside.local_size(0));
  EXPECT_EQ(apart.field_stride(0), 15);
  EXPECT_EQ(apart.locate(Index{1, 2}).offset, 5 + 2);
  EXPECT_NE(apart, beside);
  expect_consistent(beside);
  expect_consistent(apart);
  EXPECT_EQ(apart.describe(), "n0(3) n1(5+2/2) x2 separate");
}

TEST(LayoutGrid, UnequalBlocksAndBoxes) {
  const Layout unequal = Layout::grid({{2, 0, 3}, {4, 1}}, Layout::Options{});
  EXPECT_EQ(unequal.extents(), (Index{5, 5}));
  EXPECT_EQ(unequal.ranks(), 6);
  EXPECT_EQ(unequal.box(5), (IndexBox{{2, 4}, {3, 1}}));
  EXPECT_EQ(unequal.box(2).points(), 0);
  expect_consistent(unequal);
  // Boxes arranged like a pinwheel form no grid.
  const Layout pinwheel = Layout::boxes(
      Index{3, 3},
      {{{0, 0}, {2, 1}}, {{2, 0}, {1, 2}}, {{1, 2}, {2, 1}}, {{0, 1}, {1, 2}}, {{1, 1}, {1, 1}}});
  expect_consistent(pinwheel);
  EXPECT_EQ(pinwheel.describe(), "n0(3) n1(3) in 5 boxes");
  EXPECT_EQ(pinwheel.locate(Index{1, 2}).rank, 2);
}

TEST(LayoutGrid, SlabsAreGridsToo) {
  const Index n{7, 6, 5};
  const std::vector<int> rows{4, 1, 1};
  const std::vector<int> columns{1, 4, 1};
  EXPECT_EQ(Layout::grid(n, rows), Layout::slab(n, 4));
  EXPECT_EQ(Layout::grid(n, columns, {{1, 0, 2}, {}, 1, Fields::separate}),
            Layout::slab(n, 4, {true, 0, 1, 0}));
  EXPECT_NE(Layout::grid(n, columns), Layout::slab(n, 4, {true, 0, 1, 0}));
}

TEST(LayoutGrid, BeyondThirtyTwoBits) {
  const std::ptrdiff_t n = std::ptrdiff_t{1} << 20;
  const std::vector<int> parts{2, 2, 2};
  const Layout l = Layout::grid(Index{n, n, n}, parts);
  EXPECT_EQ(l.local_size(7), n / 2 * (n / 2) * (n / 2));
  const Index last{n - 1, n - 1, n - 1};
  EXPECT_EQ(l.locate(last).offset, l.local_size(7) - 1);
  Index found(3);
  EXPECT_TRUE(l.global(7, l.local_size(7) - 1, found));
  EXPECT_EQ(found, last);
}

template <class F> void expect_refused(const F &f, const std::vector<std::string> &words) {
  try {
    f();
    ADD_FAILURE() << "accepted";
  } catch (const Error &e) {
    for (const std::string &word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos)
          << "\"" << e.what() << "\" does not say \"" << word << "\"";
  }
}

TEST(LayoutGrid, BadLayoutsAreRefused) {
  const Index n{4, 4};
  const auto boxes = [&](const std::vector<IndexBox> &list) {
    return [&n, list] { Layout::boxes(n, list); };
  };
  expect_refused(boxes({{{0, 0}, {4, 3}}, {{0, 2}, {4, 2}}}),
                 {"ranks 0, [0, 4) x [0, 3)", "1, [0, 4) x [2, 4)", "overlap"});
  expect_refused(boxes({{{0, 0}, {4, 3}}}), {"hold 12 points", "all 16", "gap"});
  expect_refused(boxes({{{0, 0}, {4, 4}}, {{1, 1}, {1, 5}}}),
                 {"rank 1", "starts at 1", "5 points", "axis 1", "0..3"});
  expect_refused(boxes({{{0, 0}, {4, 4}}, {{-1, 0}, {0, 0}}}), {"rank 1", "-1"});
  expect_refused(boxes({{{0}, {4, 4}}}), {"rank 0 (start)", "1 entries", "expected 2"});
  expect_refused(boxes({}), {"no box"});
  expect_refused([&] { Layout::grid(n, std::vector<int>{2}); }, {"parts has 1", "expected 2"});
  expect_refused([&] { Layout::grid(n, std::vector<int>{2, 0}); }, {"0 parts"});
  expect_refused([&] { Layout::grid(Index{4, -1}, std::vector<int>{2, 1}); }, {"-1"});
  expect_refused([&] { Layout::grid(n, std::vector<int>{1 << 16, 1 << 16}); }, {"2^31"});
  const auto with = [&](const Layout::Options &o) {
    return [&n, o] { Layout::grid(n, std::vector<int>{1, 1}, o); };
  };
  expect_refused(with({{0, 2}, {}, 1, Fields::separate}), {"order has 2", "0..1"});
  expect_refused(with({{1, 1}, {}, 1, Fields::separate}), {"permutation", "axis 1"});
  expect_refused(with({{0}, {}, 1, Fields::separate}), {"order has 1 entries"});
  expect_refused(with({{}, {1}, 1, Fields::separate}), {"padding has 1 entries"});
  expect_refused(with({{}, {1, -2}, 1, Fields::separate}), {"axis 1", "-2"});
  expect_refused(with({{}, {}, 0, Fields::separate}), {"howmany is 0"});
  expect_refused([] { Layout::grid({{2, 2}, {}}, Layout::Options{}); }, {"axis 1 has no parts"});
  expect_refused([] { Layout::grid({{2, -2}, {1}}, Layout::Options{}); }, {"axis 0 has -2"});
}

} // namespace
} // namespace hybridfft
