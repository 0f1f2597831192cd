// Tests the assignment of buffers to steps, and the size of the work space.
#include "plan/buffers.h"

#include <gtest/gtest.h>

namespace {

using namespace hybridfft;
using namespace hybridfft::plan;

Step step(StepKind kind, const SplitRows &from, const SplitRows &to) {
  Step s;
  s.kind = kind;
  s.source = from;
  s.destination = to;
  s.from.elements = from.span();
  s.to.elements = to.span();
  return s;
}

Route assign(const Steps &list, bool in_place) {
  return assign_buffers(list, sizeof(double), {in_place});
}

/// Returns the steps of a transform: planes, an exchange and columns; with two exchanges also an
/// exchange back and a copy. `packed` is true for exchanges between buffers of packed messages.
Steps steps(int exchanges, bool packed) {
  const SplitRows tight = SplitRows::tight(4, 6, 2);
  const SplitRows pieces{4, 6, 2, {{0, 3, 0, 6, 2}, {3, 3, 24, 6, 2}}};
  const SplitRows &order = packed ? pieces : tight;
  Steps list{step(StepKind::planes, tight, order), step(StepKind::exchange, order, order)};
  if (exchanges == 2) {
    list.push_back(step(StepKind::columns, order, order));
    list.push_back(step(StepKind::exchange, order, order));
    list.push_back(step(StepKind::copy, order, tight));
  } else {
    list.push_back(step(StepKind::columns, order, tight));
  }
  return list;
}

void expect_sound(const Steps &list, const Route &route, bool in_place) {
  ASSERT_EQ(route.destinations.size(), list.size());
  EXPECT_EQ(route.destinations.back(), Slot::out);
  for (std::size_t k = 0; k < list.size(); ++k) {
    EXPECT_NE(route.destinations[k], Slot::in) << "the input would be overwritten";
    const Slot source = route.source(k);
    EXPECT_FALSE(in_place && source == Slot::in);
    if (!list[k].may_be_in_place()) {
      EXPECT_NE(source, route.destinations[k]) << "step " << k;
    }
  }
}

TEST(Buffers, OutOfSlotPlansNeedOneWorkBuffer) {
  for (const int exchanges : {1, 2})
    for (const bool packed : {false, true}) {
      const auto list = steps(exchanges, packed);
      const Route route = assign(list, false);
      expect_sound(list, route, false);
      EXPECT_LE(route.work_buffers, 1U);
    }
}

TEST(Buffers, InPlacePlan_PackedExchange_NeedsASecondBuffer) {
  const auto packed = steps(1, true);
  const Route two = assign(packed, true);
  expect_sound(packed, two, true);
  EXPECT_EQ(two.work_buffers, 2U);
  const auto tight = steps(1, false);
  const Route one = assign(tight, true);
  expect_sound(tight, one, true);
  EXPECT_EQ(one.work_buffers, 1U);
}

/// The rank sends nothing but receives data. The exchange may use its send buffer as scratch
/// memory.
TEST(Buffers, OutputAsSendBuffer_TooSmallForReceivedData_IsNotUsed) {
  const SplitRows nothing = SplitRows::tight(0, 6, 2);
  const SplitRows received = SplitRows::tight(4, 6, 2);
  Steps list{step(StepKind::planes, nothing, nothing), step(StepKind::exchange, nothing, received),
             step(StepKind::columns, received, SplitRows::transposed_view(4, 6, 2))};
  list[1].from.elements = list[1].to.elements;
  const std::size_t bytes = buffer_bytes(list[1].to, sizeof(double));
  const auto sent_from = [&](std::size_t room) {
    const Route route = assign_buffers(list, sizeof(double), {.out_bytes = room});
    expect_sound(list, route, false);
    return route.destinations[0];
  };
  EXPECT_EQ(sent_from(bytes), Slot::out);
  EXPECT_NE(sent_from(bytes - 1), Slot::out);
  EXPECT_NE(sent_from(0), Slot::out);
}

/// Stand-ins that exchange nothing: Chunked is an exchange in chunks, and Windowed is an exchange
/// with a window of its own.
class Chunked final : public exchange::ChunkedExchange {
public:
  explicit Chunked(const SplitRows &order) : ChunkedExchange(order, order) {}
  const std::vector<std::ptrdiff_t> &send_ends() const override { return ends_; }
  const std::vector<std::ptrdiff_t> &receive_ends() const override { return ends_; }
  void start(std::byte *, std::byte *) override {}
  void rows_written(std::ptrdiff_t) override {}
  void poll() noexcept override {}
  bool complete() noexcept override { return true; }
  void tag_slot(int) override {}
  void wait_rows(std::ptrdiff_t) override {}
  void finish() override {}
  bool cancel(const exchange::Patience &) noexcept override { return true; }
  std::string describe() const override { return "chunked"; }

private:
  std::vector<std::ptrdiff_t> ends_;
};

class Windowed final : public exchange::Exchange {
public:
  explicit Windowed(const SplitRows &order) : Exchange(order, order) {}
  std::byte *window() const override { return &byte_; }
  void execute(std::byte *, std::byte *) override {}
  std::string describe() const override { return "windowed"; }

private:
  mutable std::byte byte_{};
};

TEST(Buffers, ChunkedExchange_SeparateArrays_Overlaps) {
  auto list = steps(1, false);
  // The previous pass writes one order, and the next pass works in the final order.
  const SplitRows pieces{4, 6, 2, {{0, 3, 0, 6, 2}, {3, 3, 24, 6, 2}}};
  list[0].destination = list[1].source = pieces;
  list[1].exchange = std::make_shared<Chunked>(pieces);
  const Route apart = assign(list, false);
  expect_sound(list, apart, false);
  EXPECT_EQ(apart.work_buffers, 1U);
  EXPECT_EQ(apart.destinations, (std::vector<Slot>{Slot::work, Slot::out, Slot::out}));
  EXPECT_TRUE(may_receive_early(list, apart, 1));
  EXPECT_TRUE(may_send_late(list, apart, 1));
  const Route in_place = assign(list, true);
  expect_sound(list, in_place, true);
  EXPECT_FALSE(may_receive_early(list, in_place, 1)) << "the input is still read";
  EXPECT_TRUE(may_send_late(list, in_place, 1));
}

TEST(Buffers, SecondExchange_SentBuffer_IsNotReceivedInto) {
  auto list = steps(2, true);
  list[1].exchange = list[3].exchange = std::make_shared<Chunked>(list[1].source);
  // The steps write work0, then `out`, then `out` in place, then work0; a copy writes `out` at the
  // end.
  const Route route{Slot::in, {Slot::work, Slot::out, Slot::out, Slot::work, Slot::out}, 1};
  EXPECT_TRUE(may_send_late(list, route, 1));
  EXPECT_FALSE(may_receive_early(list, route, 3));
  const Route other{Slot::in, {Slot::work, Slot::out, Slot::out, work_slot(1), Slot::out}, 2};
  EXPECT_TRUE(may_receive_early(list, other, 3));
}

TEST(Buffers, WindowsTakeTheSlotOfWorkBuffers) {
  for (const int exchanges : {1, 2})
    for (const bool in_place : {false, true}) {
      auto list = steps(exchanges, true);
      for (Step &d : list)
        if (d.kind == StepKind::exchange) d.exchange = std::make_shared<Windowed>(d.source);
      const Route route = assign(list, in_place);
      expect_sound(list, route, in_place);
      EXPECT_EQ(route.work_buffers, 0U);
      for (std::size_t k = 0; k < list.size(); ++k)
        if (list[k].kind == StepKind::exchange) {
          EXPECT_EQ(route.source(k), Slot::window);
          EXPECT_EQ(route.destinations[k], Slot::window);
        }
    }
}

TEST(Buffers, AWholeTransformNeedsNone) {
  const SplitRows all = SplitRows::tight(1, 8, 8);
  const Steps list{step(StepKind::whole, all, all)};
  EXPECT_EQ(assign(list, true).work_buffers, 0U);
  EXPECT_EQ(assign(list, false).work_buffers, 0U);
}

} // namespace
