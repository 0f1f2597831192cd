// Tests graphs of the emulated device, which must behave like CUDA's graphs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "support.h"

namespace {

using namespace hybridfft::device;
using namespace hybridfft::device::test;

TEST(Emulated, GraphLaunchedRepeatedly_RunsEachTime) {
  const auto runtime = delayed(5);
  const double values[]{1, 1};
  const Array<double> array(*runtime, values, 2);
  double pinned[2] = {};
  runtime->pin(pinned, sizeof pinned);
  Stream &stream = runtime->compute();
  auto graph = runtime->capture(stream, [&] {
    launch(stream, Box(1, 1, 2), Twice{array.data()});
    stream.copy(pinned, array.data(), sizeof pinned);
  });
  EXPECT_EQ(value_of(stream, array.data()), 1);
  for (int i = 0; i < 5; ++i)
    graph->launch(stream);
  const auto event = runtime->make_event();
  stream.record(*event);
  runtime->copies().wait(*event);
  graph->launch(runtime->copies());
  graph.reset();
  runtime->copies().synchronize();
  EXPECT_EQ(value_of(stream, array.data()), 64);
  EXPECT_EQ(pinned[1], 64);
  runtime->unpin(pinned);
}

TEST(Emulated, WaitingStreams_JoinCapture) {
  const auto runtime = delayed(6);
  const Array<double> a(*runtime, 1), b(*runtime, 1);
  Stream &first = runtime->compute();
  Stream &second = runtime->copies();
  const auto fork = runtime->make_event();
  const auto join = runtime->make_event();
  launch(first, one, Set{a.data(), 1});
  launch(first, one, Set{b.data(), 0});
  const auto graph = runtime->capture(first, [&] {
    launch(first, one, Twice{a.data()});
    first.record(*fork);
    second.wait(*fork);
    launch(second, one, Add{b.data(), a.data()});
    second.record(*join);
    first.wait(*join);
    launch(first, one, Twice{b.data()});
  });
  expect_error(HFFT_ERROR_INTERNAL, {"captured"}, [&] { static_cast<void>(fork->reached()); });
  expect_error(HFFT_ERROR_INTERNAL, {"another capture"}, [&] { second.wait(*join); });
  graph->launch(first); // a = 2, b = 4
  graph->launch(first); // a = 4, b = 16
  EXPECT_EQ(value_of(first, b.data()), 16);
  // The captured stream accepts work again.
  launch(second, one, Twice{b.data()});
  EXPECT_EQ(value_of(second, b.data()), 32);
}

TEST(Emulated, UncapturableWork_IsRefusedInCapture) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 1);
  Stream &first = runtime->compute();
  Stream &second = runtime->copies();
  const auto event = runtime->make_event();
  double value = 0;
  const auto refused = [&](const std::string &word, const std::function<void()> &work) {
    expect_error(HFFT_ERROR_INTERNAL, {word}, [&] { runtime->capture(first, work); });
    EXPECT_TRUE(std::isnan(value_of(first, array.data()))); // the stream accepts work again
  };
  refused("not pinned", [&] { first.copy(&value, array.data(), sizeof value); });
  refused("the host waits", [&] { first.synchronize(); });
  refused("within another", [&] { runtime->capture(first, [] {}); });
  refused("does not wait", [&] {
    first.record(*event);
    second.wait(*event);
    launch(second, one, Set{array.data(), 1});
  });
  second.record(*event);
  refused("not captured", [&] { first.wait(*event); });
}

} // namespace
