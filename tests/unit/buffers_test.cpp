// Buffers of plans: what may be overwritten, and how much work space is asked for.
#include "plan/buffers.h"

#include <gtest/gtest.h>

namespace {

using namespace hybridfft;
using namespace hybridfft::plan;

Draft step(StepKind kind, const SplitRows &from, const SplitRows &to) {
  return {kind, from, to, {}, -1, nullptr};
}

/// Planes, exchange, columns as for `exchanges` global transpositions with packed buffers.
std::vector<Draft> steps(int exchanges, bool packed) {
  const SplitRows tight = SplitRows::tight(4, 6, 2);
  const SplitRows pieces{4, 6, 2, {{0, 3, 0, 6, 2}, {3, 3, 24, 6, 2}}};
  const SplitRows &order = packed ? pieces : tight;
  std::vector<Draft> list{step(StepKind::planes, tight, order),
                          step(StepKind::exchange, order, order)};
  if (exchanges == 2) {
    list.push_back(step(StepKind::columns, order, order));
    list.push_back(step(StepKind::exchange, order, order));
    list.push_back(step(StepKind::copy, order, tight));
  } else {
    list.push_back(step(StepKind::columns, order, tight));
  }
  return list;
}

void expect_sound(const std::vector<Draft> &list, const Route &route, bool in_place) {
  ASSERT_EQ(route.destinations.size(), list.size());
  EXPECT_EQ(route.destinations.back(), Place::out);
  for (std::size_t k = 0; k < list.size(); ++k) {
    EXPECT_NE(route.destinations[k], Place::in) << "the input would be overwritten";
    Place source = route.source(k);
    if (in_place && source == Place::in) source = Place::out;
    if (!list[k].may_be_in_place()) {
      EXPECT_NE(source, route.destinations[k]) << "step " << k;
    }
  }
}

TEST(Buffers, OutOfPlacePlansNeedOneWorkBuffer) {
  for (const int exchanges : {1, 2})
    for (const bool packed : {false, true}) {
      const auto list = steps(exchanges, packed);
      const Route route = assign_buffers(list, false);
      expect_sound(list, route, false);
      EXPECT_LE(route.work_buffers, 1);
    }
}

TEST(Buffers, InPlacePlansNeedASecondOnlyWherePackingForcesIt) {
  const auto packed = steps(1, true);
  const Route two = assign_buffers(packed, true);
  expect_sound(packed, two, true);
  EXPECT_EQ(two.work_buffers, 2);
  const auto tight = steps(1, false);
  const Route one = assign_buffers(tight, true);
  expect_sound(tight, one, true);
  EXPECT_EQ(one.work_buffers, 1);
}

TEST(Buffers, AWholeTransformNeedsNone) {
  const SplitRows all = SplitRows::tight(1, 8, 8);
  const std::vector<Draft> list{step(StepKind::whole, all, all)};
  EXPECT_EQ(assign_buffers(list, true).work_buffers, 0);
  EXPECT_EQ(assign_buffers(list, false).work_buffers, 0);
}

} // namespace
