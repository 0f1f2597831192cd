// Tests streams and events of the emulated device. A missing event must cause a wrong result that a
// test can detect.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support.h"

namespace {

using namespace hybridfft::device;
using namespace hybridfft::device::test;

TEST(Emulated, WorkOnCopies_Returns) {
  const auto runtime = runtime_of(mib);
  const std::vector<double> values{1, 2, 3};
  const Array<double> array(*runtime, values.data(), values.size());
  launch(runtime->compute(), Box(1, 1, 3), Twice{array.data()});
  std::vector<double> back(3);
  runtime->compute().copy(back.data(), array.data(), array.bytes());
  EXPECT_EQ(back, (std::vector<double>{2, 4, 6}));
  runtime->compute().clear(array.data() + 1, sizeof(double));
  runtime->compute().copy(back.data(), array.data(), array.bytes());
  EXPECT_EQ(back, (std::vector<double>{2, 0, 6}));
}

struct Visit {
  double *counts; ///< counts for the box (0..5) x (0..6) x (0..7)
  void operator()(Index i, Index j, Index k) const { counts[(i * 7 + j) * 8 + k] += 1; }
};

TEST(Emulated, Launch_VisitsEveryPointOnce) {
  const auto runtime = runtime_of(mib);
  for (const Box &box : {Box({2, 1, 3}, {6, 7, 8}), Box({0, 0, 0}, {6, 7, 8}),
                         Box({5, 6, 7}, {6, 7, 8}), Box({3, 4, 5}, {3, 7, 8})}) {
    const Array<double> counts(*runtime, 6 * 7 * 8);
    runtime->compute().clear(counts.data(), counts.bytes());
    launch(runtime->compute(), box, Visit{counts.data()});
    std::vector<double> found(counts.size());
    runtime->compute().copy(found.data(), counts.data(), counts.bytes());
    for (Index i = 0; i < 6; ++i)
      for (Index j = 0; j < 7; ++j)
        for (Index k = 0; k < 8; ++k)
          EXPECT_EQ(found[static_cast<std::size_t>((i * 7 + j) * 8 + k)],
                    box.contains(Box({i, j, k}, {i + 1, j + 1, k + 1})) ? 1 : 0);
  }
}

TEST(Emulated, WorkOfStream_RunsInOrder) {
  const auto runtime = delayed(3);
  const Array<double> array(*runtime, 1);
  launch(runtime->compute(), one, Set{array.data(), 1});
  for (int i = 0; i < 20; ++i) {
    launch(runtime->compute(), one, Twice{array.data()});
    launch(runtime->compute(), one, Add{array.data(), array.data()});
  }
  EXPECT_EQ(value_of(runtime->compute(), array.data()), std::pow(4, 20));
}

TEST(Emulated, Events_OrderStreams) {
  const auto runtime = delayed(4);
  const Array<double> a(*runtime, 1), b(*runtime, 1);
  const auto written = runtime->make_event();
  const auto read = runtime->make_event();
  launch(runtime->copies(), one, Set{b.data(), 0});
  double sum = 0;
  for (int round = 0; round < 200; ++round) {
    runtime->compute().wait(*read);
    launch(runtime->compute(), one, Set{a.data(), static_cast<double>(round)});
    runtime->compute().record(*written);
    runtime->copies().wait(*written);
    launch(runtime->copies(), one, Add{b.data(), a.data()});
    runtime->copies().record(*read);
    sum += round;
  }
  EXPECT_EQ(value_of(runtime->copies(), b.data()), sum);
}

/// Returns the sum of the test Events_OrderStreams, with its waits for `written` and for `read`
/// only if these parameters are true.
double sum_without(bool written, bool read, std::uint64_t seed) {
  const auto runtime = delayed(seed);
  const Array<double> a(*runtime, 1), b(*runtime, 1);
  launch(runtime->copies(), one, Set{b.data(), 0});
  for (int round = 0; round < 200; ++round) {
    const auto event = runtime->make_event();
    launch(runtime->compute(), one, Set{a.data(), static_cast<double>(round)});
    runtime->compute().record(*event);
    if (written) runtime->copies().wait(*event);
    launch(runtime->copies(), one, Add{b.data(), a.data()});
    runtime->copies().record(*event);
    if (read) runtime->compute().wait(*event);
  }
  return value_of(runtime->copies(), b.data());
}

TEST(Emulated, MissingEvents_AreShownByDelays) {
  constexpr double sum = 199 * 200 / 2;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(sum_without(true, true, seed), sum);
    EXPECT_NE(sum_without(false, true, seed), sum);
    EXPECT_NE(sum_without(true, false, seed), sum);
  }
}

TEST(Emulated, StreamsWithoutEvents_DoNotWait) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 1);
  launch(runtime->compute(), one, Set{array.data(), 1});
  runtime->compute().synchronize();
  Gate gate(runtime->compute());
  launch(runtime->compute(), one, Set{array.data(), 2});
  EXPECT_EQ(value_of(runtime->copies(), array.data()), 1);
  gate.open();
  EXPECT_EQ(value_of(runtime->compute(), array.data()), 2);
}

TEST(Emulated, Wait_RefersToLastRecordBefore) {
  const auto runtime = runtime_of(mib);
  const auto third = runtime->make_stream();
  const auto event = runtime->make_event();
  EXPECT_TRUE(event->reached());
  event->synchronize();
  runtime->copies().wait(*event); // never recorded
  runtime->copies().synchronize();
  runtime->compute().record(*event);
  event->synchronize();
  EXPECT_TRUE(event->reached());
  Gate gate(*third);
  runtime->copies().wait(*event); // waits for the record in compute()
  third->record(*event);
  EXPECT_FALSE(event->reached());
  runtime->copies().synchronize(); // does not wait for the gate
  std::atomic<bool> passed = false;
  runtime->copies().wait(*event);
  runtime->copies().run([&] { passed = true; });
  runtime->compute().record(*event); // the earlier wait still refers to the record behind the gate
  runtime->compute().synchronize();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(passed);
  gate.open();
  runtime->copies().synchronize();
  EXPECT_TRUE(passed);
}

TEST(Emulated, ThrowingWork_StopsDevice) {
  const auto runtime = runtime_of(mib);
  double value = 1;
  Array<double> array(*runtime, &value, 1);
  const auto event = runtime->make_event();
  Gate gate(runtime->compute());
  runtime->compute().run([] { throw std::runtime_error("no such point"); });
  launch(runtime->compute(), one, Set{array.data(), 2});
  runtime->compute().record(*event);
  runtime->copies().wait(*event);
  launch(runtime->copies(), one, Set{array.data(), 3});
  bool done = false;
  runtime->copies().run([&] { done = true; });
  gate.open();
  expect_error(HFFT_ERROR_INTERNAL, {"no such point", "synchronize"},
               [&] { runtime->copies().synchronize(); });
  EXPECT_FALSE(done);
  const std::vector<std::string> words{"work failed: no such point"};
  expect_error(HFFT_ERROR_INTERNAL, words, [&] { event->synchronize(); });
  expect_error(HFFT_ERROR_INTERNAL, words, [&] { runtime->compute().synchronize(); });
  expect_error(HFFT_ERROR_INTERNAL, words, [&] { runtime->compute().record(*event); });
  expect_error(HFFT_ERROR_INTERNAL, words, [&] { runtime->compute().wait(*event); });
  expect_error(HFFT_ERROR_INTERNAL, words,
               [&] { runtime->compute().copy(&value, array.data(), 8); });
  expect_error(HFFT_ERROR_INTERNAL, words, [&] { runtime->compute().clear(array.data(), 8); });
  expect_error(HFFT_ERROR_INTERNAL, words, [&] { runtime->compute().run([] {}); });
  array = {}; // memory can still be freed
  EXPECT_EQ(runtime->memory().free, mib);
}

TEST(Emulated, ExceptionOfUnknownType_IsFailure) {
  const auto runtime = runtime_of(mib);
  runtime->compute().run([] { throw 1; });
  expect_error(HFFT_ERROR_INTERNAL, {"unknown type"}, [&] { runtime->compute().synchronize(); });
}

TEST(Emulated, DestroyedStream_FinishesWork) {
  const auto runtime = delayed(7);
  int done = 0;
  {
    const auto stream = runtime->make_stream();
    for (int i = 0; i < 20; ++i)
      stream->run([&] { ++done; });
  }
  EXPECT_EQ(done, 20);
}

TEST(Emulated, IdleStreams_Sleep) {
  const auto runtime = runtime_of(mib);
  const auto event = runtime->make_event();
  const auto third = runtime->make_stream();
  Gate gate(*third);
  third->record(*event);
  runtime->compute().wait(*event); // compute() waits for the event, and copies() is idle
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.05);
}

} // namespace
