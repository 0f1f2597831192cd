/// Tests queries for the distribution of data: with a process grid they examine axes, with boxes of
/// any shape they search a list.

#include <gtest/gtest.h>

#include <random>

#include "messages/heap_count.h"
#include "plan/lowering.h"
#include "plan/path.h"

namespace hybridfft::plan {
namespace {

/// Returns the same distribution as a list of boxes.
Distribution list_of(const Layout &grid) {
  std::vector<IndexBox> boxes;
  for (int r = 0; r < grid.ranks(); ++r)
    boxes.push_back(grid.box(r));
  return Distribution(Layout::boxes(grid.extents(), boxes));
}

std::vector<Layout> grids() {
  const Extents n{12, 10, 9};
  std::vector<Layout> all;
  for (const std::vector<int> &parts : {std::vector<int>{1, 1, 1},
                                        {6, 1, 1},
                                        {3, 2, 1},
                                        {1, 2, 3},
                                        {2, 2, 2},
                                        {7, 1, 4},
                                        {1, 16, 1}})
    for (const std::vector<int> &order : {std::vector<int>{0, 1, 2}, {2, 0, 1}})
      all.push_back(Layout::grid(n, parts, {order, {}, 1, Fields::interleaved}));
  all.push_back(Layout::slab(n, 6, {true, 4, 1, 0}));
  all.push_back(Layout::slab(n, 6, {false, 12, 1, 0})); // all points are on the last rank
  return all;
}

TEST(Distribution, Grid_EqualsListOfItsBoxes) {
  std::mt19937 random(1);
  for (const Layout &layout : grids()) {
    SCOPED_TRACE(layout.describe());
    const Distribution grid(layout);
    const Distribution list = list_of(layout);
    const Extents n = layout.extents();
    EXPECT_TRUE(grid.same_boxes(list, n));
    for (int r = 0; r < layout.ranks(); ++r)
      EXPECT_EQ(grid.box(r, n), layout.box(r));
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(grid.is_local(axis, n), list.is_local(axis, n)) << axis;
    for (int i = 0; i < 50; ++i) {
      IndexBox box{Extents(3), Extents(3)};
      for (std::size_t a = 0; a < 3; ++a) {
        box.start[a] = std::uniform_int_distribution<std::ptrdiff_t>(0, n[a] - 1)(random);
        box.count[a] =
            std::uniform_int_distribution<std::ptrdiff_t>(0, n[a] - box.start[a])(random);
      }
      EXPECT_EQ(grid.ranks_of(box, n), list.ranks_of(box, n));
      EXPECT_EQ(grid.ranks_within(box, n), list.ranks_within(box, n));
      EXPECT_EQ(grid.axes_cut(box, n), list.axes_cut(box, n));
    }
  }
}

TEST(Distribution, AxesCutBySeveralDimensions_EqualListOfBoxes) {
  const Extents n{24, 20, 7};
  const ProcessGrid process_grid = row_major({2, 3, 4});
  for (const std::vector<int> &axes :
       {std::vector<int>{0, 1, 0}, {1, 1, 0}, {0, 0, 0}, {2, 0, 1}}) {
    const Distribution grid(process_grid, axes, 3, 24);
    std::vector<IndexBox> boxes;
    for (int r = 0; r < 24; ++r)
      boxes.push_back(grid.box(r, n));
    const Distribution list(Layout::boxes(n, boxes));
    EXPECT_TRUE(grid.same_boxes(list, n));
    const IndexBox part{{5, 3, 2}, {14, 9, 4}};
    EXPECT_EQ(grid.ranks_of(part, n), list.ranks_of(part, n));
    EXPECT_EQ(grid.ranks_within(part, n), list.ranks_within(part, n));
    EXPECT_EQ(grid.axes_cut(part, n), list.axes_cut(part, n));
  }
}

TEST(Distribution, UndistributedAxes_OtherExtents_AreCovered) {
  for (const Layout &layout : grids())
    for (const Extents &n : {Extents{12, 10, 5}, {12, 6, 9}, {7, 10, 9}, {7, 6, 5}}) {
      SCOPED_TRACE(layout.describe());
      const Distribution grid(layout);
      const Distribution list = list_of(layout);
      ASSERT_EQ(grid.covers(n), list.covers(n));
      if (!grid.covers(n)) continue;
      EXPECT_TRUE(grid.same_boxes(list, n));
      for (int r = 0; r < layout.ranks(); ++r) {
        EXPECT_EQ(grid.box(r, n).points(), list.box(r, n).points());
        EXPECT_EQ(grid.ranks_within(grid.box(r, n), n), list.ranks_within(list.box(r, n), n));
        EXPECT_EQ(grid.axes_cut(grid.box(r, n), n), list.axes_cut(list.box(r, n), n));
      }
    }
}

TEST(Distribution, SameBoxes_ComparesEveryRank) {
  const std::vector<Layout> all = grids();
  for (const Layout &a : all)
    for (const Layout &b : all) {
      if (a.ranks() != b.ranks()) continue;
      const Extents n = a.extents();
      EXPECT_EQ(Distribution(a).same_boxes(Distribution(b), n),
                list_of(a).same_boxes(list_of(b), n))
          << a.describe() << " and " << b.describe();
    }
}

/// Counts the allocations of the path search between pencils and of the steps of one rank.
HeapCount heap_of_pencils(int rows, int columns) {
  const Extents n{4096, 4096, 4096};
  Problem p;
  p.axes = {0, 1, 2};
  p.in = Layout::grid(n, {rows, columns, 1});
  p.out = Layout::grid(n, {1, rows, columns});
  p.flags = HFFT_ESTIMATE;
  start_counting_heap();
  const Path path = find_path(p, {});
  const Steps steps = lower_path(p, along({path, working_orders(p).front()}), columns + 1);
  EXPECT_FALSE(steps.empty());
  return stop_counting_heap();
}

TEST(Distribution, PencilsArePlannedWithMemoryForPartnersNotForAllRanks) {
  const HeapCount few = heap_of_pencils(16, 32);
  // The larger grid has 64 times as many ranks, 8 times as many in each row and column.
  EXPECT_LE(heap_of_pencils(128, 256).allocations, 10 * few.allocations);
  EXPECT_LT(heap_of_pencils(1000, 1000).peak, 5'000'000);
}

} // namespace
} // namespace hybridfft::plan
