// The emulated device: memory, copies, streams, events and graphs. What goes wrong on a GPU only
// now and then goes wrong here each time.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <future>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device/address_sanitizer.h"
#include "device/emulated.h"
#include "device/launch.h"
#include "expect_error.h"
#include "support/variable.h"

namespace {

using namespace hybridfft::device;
using hybridfft::grid::Box;
using hybridfft::test::expect_error;
using hybridfft::test::Variable;

constexpr std::size_t mib = std::size_t{1} << 20;

std::unique_ptr<Runtime> runtime_of(std::size_t bytes) {
  EmulatedOptions options;
  options.bytes = bytes;
  return make_emulated(options);
}

std::unique_ptr<Runtime> delayed(std::uint64_t seed) {
  EmulatedOptions options;
  options.bytes = mib;
  options.delays = seed;
  return make_emulated(options);
}

/// Work of a stream that waits until the host lets it go on.
class Gate {
public:
  explicit Gate(Stream &stream) {
    stream.run([opened = opened_.get_future().share()] { opened.wait(); });
  }
  ~Gate() { open(); }
  Gate(const Gate &) = delete;
  Gate &operator=(const Gate &) = delete;
  void open() {
    if (!is_open_) opened_.set_value();
    is_open_ = true;
  }

private:
  std::promise<void> opened_;
  bool is_open_ = false;
};

struct Set {
  double *values;
  double value;
  void operator()(Index, Index, Index k) const { values[k] = value; }
};

struct Twice {
  double *values;
  void operator()(Index, Index, Index k) const { values[k] *= 2; }
};

/// sum += addend
struct Add {
  double *sum;
  const double *addend;
  void operator()(Index, Index, Index) const { *sum += *addend; }
};

constexpr Box one(1, 1, 1);

double value_of(Stream &stream, const double *memory) {
  double value = 0;
  stream.copy(&value, memory, sizeof value);
  return value;
}

TEST(Emulated, WorkOnCopiesComesBack) {
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

// ---- launch

struct Visit {
  double *counts; ///< of the box (0..5) x (0..6) x (0..7)
  void operator()(Index i, Index j, Index k) const { counts[(i * 7 + j) * 8 + k] += 1; }
};

TEST(Emulated, LaunchVisitsEveryPointOfABoxOnce) {
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

// ---- memory

bool is_nan_of_ones(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits == ~std::uint64_t{0};
}

TEST(Emulated, MemoryIsAlignedDistinctAndNotSet) {
  const auto runtime = runtime_of(mib);
  std::vector<Array<double>> arrays;
  for (const std::size_t size : {1, 32, 33, 1000}) {
    arrays.emplace_back(*runtime, size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.back().data()) % 256, 0U);
    std::vector<double> values(size);
    runtime->compute().copy(values.data(), arrays.back().data(), arrays.back().bytes());
    for (const double value : values)
      EXPECT_TRUE(is_nan_of_ones(value)) << value;
    launch(runtime->compute(), Box(1, 1, static_cast<Index>(size)),
           Set{arrays.back().data(), static_cast<double>(size)});
  }
  for (const Array<double> &array : arrays)
    for (std::size_t k = 0; k < array.size(); ++k)
      ASSERT_EQ(value_of(runtime->compute(), array.data() + k), static_cast<double>(array.size()));
  // The same place again has not the values of before.
  const double *place = arrays[1].data();
  arrays[1] = {};
  arrays[1] = Array<double>(*runtime, 32);
  EXPECT_EQ(arrays[1].data(), place);
  EXPECT_TRUE(is_nan_of_ones(value_of(runtime->compute(), place)));
  EXPECT_EQ(Array<double>(*runtime, 0).data(), nullptr);
}

TEST(Emulated, MemoryThatWasGivenBackHasNoValues) {
  if (address_sanitizer) GTEST_SKIP() << "ends the process, see AddressSanitizerSeesStrayWork";
  const auto runtime = runtime_of(mib);
  Array<double> array(*runtime, 8);
  const double *place = array.data();
  runtime->compute().clear(array.data(), array.bytes());
  array = {};
  double value = 0;
  runtime->compute().run([&value, place] { value = place[7]; });
  runtime->compute().synchronize();
  EXPECT_TRUE(is_nan_of_ones(value));
}

TEST(Emulated, TooLittleMemoryIsTold) {
  const auto runtime = runtime_of(mib);
  EXPECT_EQ(runtime->memory().total, mib);
  EXPECT_EQ(runtime->memory().free, mib);
  {
    const Array<char> most(*runtime, mib - 1000);
    const std::size_t free = mib - (mib - 1000 + 255) / 256 * 256;
    EXPECT_EQ(runtime->memory().free, free);
    for (const std::size_t bytes : {free + 1, std::numeric_limits<std::size_t>::max()}) {
      const std::vector<std::string> words{std::to_string(bytes) + " bytes wanted",
                                           std::to_string(free) + " of 1048576 are free"};
      expect_error(HFFT_ERROR_OUT_OF_MEMORY, words, [&] { runtime->allocate(bytes); });
      expect_error(HFFT_ERROR_OUT_OF_MEMORY, words, [&] { runtime->allocate_for_messages(bytes); });
    }
    void *messages = runtime->allocate_for_messages(free);
    EXPECT_EQ(runtime->memory().free, 0U);
    expect_error(HFFT_ERROR_OUT_OF_MEMORY, {"1 bytes wanted, 0 of"}, [&] { runtime->allocate(1); });
    runtime->deallocate(messages);
  }
  EXPECT_EQ(runtime->memory().free, mib);
}

TEST(Emulated, GapsBetweenAllocationsTakeNoMemory) {
  const std::size_t bytes = 16 * mib;
  const auto runtime = runtime_of(bytes);
  std::vector<Array<char>> pieces;
  while (runtime->memory().free > 0)
    pieces.emplace_back(*runtime, 8192);
  EXPECT_EQ(pieces.size(), bytes / 8192);
  for (std::size_t i = 0; i < pieces.size(); i += 2)
    pieces[i] = {};
  EXPECT_EQ(Array<char>(*runtime, bytes / 2).bytes(), bytes / 2);
}

/// Whether a process ended because it touched memory that it may not.
bool ended_by_access(int status) {
  return address_sanitizer ? status != 0 : WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

class EmulatedDeathTest : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(EmulatedDeathTest, HostCannotTouchMemoryOfTheDevice) {
  const auto runtime = runtime_of(mib);
  const std::vector<double> ones(4, 1);
  const Array<double> array(*runtime, ones.data(), ones.size());
  volatile double *values = array.data();
  EXPECT_EXIT(static_cast<void>(values[0]), ended_by_access, "");
  EXPECT_EXIT(values[3] = 1, ended_by_access, "");
  // Work may.
  double value = 0;
  runtime->compute().run([&] { value = values[3]; });
  runtime->compute().synchronize();
  EXPECT_EQ(value, 1);
  EXPECT_EXIT(static_cast<void>(values[3]), ended_by_access, "");
}

TEST_F(EmulatedDeathTest, HostCannotTouchItWhileAStreamWaits) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 4);
  volatile double *values = array.data();
  const auto try_it = [&] {
    // Waiting for an event is no work: the gate is the other stream's, on another device.
    const auto other = runtime_of(mib);
    const Gate gate(other->compute());
    const auto event = other->make_event();
    other->compute().record(*event);
    runtime->compute().wait(*event);
    runtime->compute().run([] {});
    values[0] = 1;
  };
  EXPECT_EXIT(try_it(), ended_by_access, "");
}

TEST_F(EmulatedDeathTest, AddressSanitizerSeesStrayWork) {
  if (!address_sanitizer) GTEST_SKIP() << "built without";
  const auto runtime = runtime_of(mib);
  Array<double> array(*runtime, 33);
  double *values = array.data();
  const auto write = [&](Index k) {
    launch(runtime->compute(), Box({0, 0, k}, {1, 1, k + 1}), Set{values, 1});
    runtime->compute().synchronize();
  };
  EXPECT_EXIT(write(33), ended_by_access, "use-after-poison");
  EXPECT_EXIT(write(-1), ended_by_access, "use-after-poison");
  array = {};
  EXPECT_EXIT(write(0), ended_by_access, "use-after-poison");
}

TEST(Emulated, WorkThatWritesOutsideIsFound) {
  if (address_sanitizer) GTEST_SKIP() << "ends the process, see AddressSanitizerSeesStrayWork";
  for (const Index k : {-1, 33, 63}) {
    const auto runtime = runtime_of(mib);
    const Array<double> array(*runtime, 33);
    runtime->compute().synchronize();
    launch(runtime->compute(), Box({0, 0, k}, {1, 1, k + 1}), Set{array.data(), 1});
    expect_error(HFFT_ERROR_INTERNAL, {k < 0 ? "before" : "behind", "264 bytes"},
                 [&] { runtime->compute().synchronize(); });
  }
}

TEST(Emulated, MessagesAreOpenToTheHost) {
  const auto runtime = runtime_of(mib);
  auto *memory = static_cast<double *>(runtime->allocate_for_messages(5 * sizeof(double)));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  EXPECT_TRUE(is_nan_of_ones(memory[4]));
  memory[4] = 3;
  launch(runtime->compute(), Box({0, 0, 4}, {1, 1, 5}), Twice{memory});
  runtime->compute().synchronize();
  EXPECT_EQ(memory[4], 6);
  runtime->deallocate(memory);
  runtime->deallocate(nullptr);
}

// ---- copies

TEST(Emulated, CopiesBeyondAnAllocationAreRefused) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 10), next(*runtime, 10);
  auto *messages = static_cast<double *>(runtime->allocate_for_messages(80));
  std::vector<double> host(200);
  Stream &stream = runtime->compute();
  const std::vector<std::string> words{"88 bytes from byte 0 of an allocation of 80"};
  for (double *memory : {array.data(), messages}) {
    expect_error(HFFT_ERROR_INTERNAL, words, [&] { stream.copy(memory, host.data(), 88); });
    expect_error(HFFT_ERROR_INTERNAL, words, [&] { stream.copy(host.data(), memory, 88); });
    expect_error(HFFT_ERROR_INTERNAL, words, [&] { stream.clear(memory, 88); });
    expect_error(HFFT_ERROR_INTERNAL, {"source", "8 bytes from byte 80 of an allocation of 80"},
                 [&] { stream.copy(host.data(), memory + 10, 8); });
    expect_error(HFFT_ERROR_INTERNAL, {"before all"},
                 [&] { stream.copy(host.data(), memory - 1, 16); });
  }
  // A copy that would be right but for what lies between.
  expect_error(HFFT_ERROR_INTERNAL, {"target", "allocation of 80"}, [&] {
    stream.copy(array.data(), host.data(),
                static_cast<std::size_t>(next.data() + 10 - array.data()) * sizeof(double));
  });
  expect_error(HFFT_ERROR_INTERNAL, {"are not the device's"},
               [&] { stream.clear(host.data(), 8); });
  stream.copy(messages, host.data(), 80);
  stream.copy(array.data() + 3, messages + 3, 56);
  stream.copy(nullptr, nullptr, 0);
  stream.synchronize();
  runtime->deallocate(messages);
  expect_error(HFFT_ERROR_INTERNAL, {"before all"}, [&] { stream.copy(host.data(), messages, 8); });
}

TEST(Emulated, CopiesOfMemoryThatIsNotPinnedMakeTheHostWait) {
  const auto runtime = delayed(1);
  const Array<double> array(*runtime, 1);
  for (int round = 0; round < 100; ++round) {
    double value = round;
    runtime->compute().copy(array.data(), &value, sizeof value);
    value = -1;
    launch(runtime->compute(), one, Twice{array.data()});
    runtime->compute().copy(&value, array.data(), sizeof value);
    EXPECT_EQ(value, 2 * round);
  }
}

TEST(Emulated, CopiesOfPinnedMemoryDoNot) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 1);
  std::vector<double> pinned(3, 5);
  runtime->pin(pinned.data(), 3 * sizeof(double));
  Stream &stream = runtime->compute();
  {
    Gate gate(stream);
    stream.copy(array.data(), &pinned[0], sizeof(double));
    stream.copy(&pinned[2], array.data(), sizeof(double));
    pinned[0] = 6; // is what the device will find
    pinned[2] = 7; // is there until the copy comes to its turn
    gate.open();
    stream.synchronize();
    EXPECT_EQ(pinned[2], 6);
  }
  runtime->unpin(pinned.data());
  // Now the host waits, until another thread opens the gate.
  Gate gate(stream);
  std::atomic<bool> returned = false;
  std::thread host([&] {
    stream.copy(&pinned[2], array.data(), sizeof(double));
    returned = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(returned);
  gate.open();
  host.join();
}

TEST(Emulated, MemoryIsPinnedAsAWholeAndOnce) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 4);
  std::vector<double> host(4);
  runtime->pin(host.data(), 2 * sizeof(double));
  expect_error(HFFT_ERROR_INTERNAL, {"pinned twice"},
               [&] { runtime->pin(host.data() + 1, 2 * sizeof(double)); });
  runtime->pin(host.data() + 2, sizeof(double));
  // A capture takes copies that are asynchronous alone.
  const auto copied = [&](std::size_t first, std::size_t values) {
    Stream &stream = runtime->compute();
    const auto copy = [&] { stream.copy(&host[first], array.data(), values * sizeof(double)); };
    return runtime->capture(stream, copy);
  };
  EXPECT_NE(copied(0, 2), nullptr);
  EXPECT_NE(copied(1, 1), nullptr);
  for (const std::size_t first : {0, 1, 3})
    expect_error(HFFT_ERROR_INTERNAL, {"not pinned"}, [&] { copied(first, 4 - first); });
  runtime->unpin(host.data());
  runtime->unpin(host.data());
  runtime->pin(host.data(), 2 * sizeof(double));
}

TEST(Emulated, DelaysSpoilWhatTheHostReadsTooEarly) {
  const auto runtime = delayed(2);
  const Array<double> array(*runtime, 1);
  double pinned = 1;
  runtime->compute().copy(array.data(), &pinned, sizeof pinned);
  runtime->pin(&pinned, sizeof pinned);
  int spoilt = 0;
  for (int round = 0; round < 200; ++round) {
    // NaN is there before, even where the value was the right one already.
    runtime->compute().copy(&pinned, array.data(), sizeof pinned);
    for (int look = 0; look < 100; ++look) {
      double seen = 0;
      __atomic_load(&pinned, &seen, __ATOMIC_RELAXED);
      if (std::isnan(seen)) {
        ++spoilt;
        break;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(5));
    }
    runtime->compute().synchronize();
    EXPECT_EQ(pinned, 1);
  }
  EXPECT_GT(spoilt, 20);
  runtime->unpin(&pinned);
}

// ---- order and events

TEST(Emulated, WorkOfAStreamIsDoneInOrder) {
  const auto runtime = delayed(3);
  const Array<double> array(*runtime, 1);
  launch(runtime->compute(), one, Set{array.data(), 1});
  for (int i = 0; i < 20; ++i) {
    launch(runtime->compute(), one, Twice{array.data()});
    launch(runtime->compute(), one, Add{array.data(), array.data()});
  }
  EXPECT_EQ(value_of(runtime->compute(), array.data()), std::pow(4, 20));
}

TEST(Emulated, EventsOrderStreams) {
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

/// The sum of EventsOrderStreams where one of the two waits is left out.
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

TEST(Emulated, DelaysShowMissingEvents) {
  constexpr double sum = 199 * 200 / 2;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    EXPECT_EQ(sum_without(true, true, seed), sum);
    EXPECT_NE(sum_without(false, true, seed), sum);
    EXPECT_NE(sum_without(true, false, seed), sum);
  }
}

TEST(Emulated, StreamsWithoutEventsDoNotWait) {
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

TEST(Emulated, WaitMeansTheLastRecordBeforeIt) {
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
  runtime->copies().wait(*event); // of the record in compute()
  third->record(*event);
  EXPECT_FALSE(event->reached());
  runtime->copies().synchronize(); // does not wait for the gate
  std::atomic<bool> passed = false;
  runtime->copies().wait(*event);
  runtime->copies().run([&] { passed = true; });
  runtime->compute().record(*event); // the wait before means the gate nevertheless
  runtime->compute().synchronize();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(passed);
  gate.open();
  runtime->copies().synchronize();
  EXPECT_TRUE(passed);
}

// ---- failures

TEST(Emulated, WorkThatThrowsStopsTheDevice) {
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
  array = {}; // memory can be given back nevertheless
  EXPECT_EQ(runtime->memory().free, mib);
}

TEST(Emulated, OtherExceptionsAreFailuresToo) {
  const auto runtime = runtime_of(mib);
  runtime->compute().run([] { throw 1; });
  expect_error(HFFT_ERROR_INTERNAL, {"unknown type"}, [&] { runtime->compute().synchronize(); });
}

// ---- graphs

TEST(Emulated, GraphsAreDoneAsOftenAsTheyAreLaunched) {
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

TEST(Emulated, GraphsTakeInStreamsThatWaitForTheirs) {
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
  // The stream that took part is an ordinary one again.
  launch(second, one, Twice{b.data()});
  EXPECT_EQ(value_of(second, b.data()), 32);
}

TEST(Emulated, CapturesRefuseWhatCudaWould) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 1);
  Stream &first = runtime->compute();
  Stream &second = runtime->copies();
  const auto event = runtime->make_event();
  double value = 0;
  const auto refused = [&](const std::string &word, const std::function<void()> &work) {
    expect_error(HFFT_ERROR_INTERNAL, {word}, [&] { runtime->capture(first, work); });
    EXPECT_TRUE(std::isnan(value_of(first, array.data()))); // the stream works again
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

// ---- runtimes

/// A number of this process, by its name in /proc/self/status.
std::size_t status(const std::string &name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  throw std::runtime_error("no " + name);
}

TEST(Emulated, RuntimesLeaveNothingBehind) {
  const auto once = [] {
    const auto runtime = runtime_of(std::size_t{1} << 33);
    const Array<double> array(*runtime, 1000);
    const auto event = runtime->make_event();
    const auto stream = runtime->make_stream();
    stream->run([] {});
    stream->record(*event);
    runtime->compute().wait(*event);
  };
  for (int i = 0; i < 5; ++i)
    once();
  const std::size_t threads = status("Threads");
  const std::size_t kibibytes = status("VmSize");
  for (int i = 0; i < 100; ++i)
    once();
  EXPECT_EQ(status("Threads"), threads);
  // One runtime takes more than 2^34 bytes of address space.
  EXPECT_LT(status("VmSize"), kibibytes + (std::size_t{1} << 24));
}

TEST(Emulated, StreamsFinishTheirWorkBeforeTheyGo) {
  const auto runtime = delayed(7);
  int done = 0;
  {
    const auto stream = runtime->make_stream();
    for (int i = 0; i < 20; ++i)
      stream->run([&] { ++done; });
  }
  EXPECT_EQ(done, 20);
}

TEST(Emulated, GivingMemoryBackWaitsForAllStreams) {
  const auto runtime = delayed(8);
  std::atomic<int> done = 0;
  for (int i = 0; i < 10; ++i) {
    Array<double> array(*runtime, 1);
    for (Stream *stream : {&runtime->compute(), &runtime->copies()})
      for (int work = 0; work < 3; ++work) {
        launch(*stream, one, Set{array.data(), 1});
        stream->run([&] { ++done; });
      }
    array = {};
    EXPECT_EQ(done, 6 * (i + 1));
  }
}

TEST(Emulated, StreamsSleepWhileThereIsNothing) {
  const auto runtime = runtime_of(mib);
  const auto event = runtime->make_event();
  const auto third = runtime->make_stream();
  Gate gate(*third);
  third->record(*event);
  runtime->compute().wait(*event); // waits, and copies() is idle
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.05);
}

TEST(Emulated, RanksShareDevicesInTurn) {
  const Variable variable("HFFT_GPU", "emulated:memory=3,devices=2");
  const auto zero = Runtime::open(0);
  const auto first = Runtime::open(1);
  const auto second = Runtime::open(2);
  EXPECT_EQ(zero->identity(), second->identity());
  EXPECT_NE(zero->identity(), first->identity());
  EXPECT_EQ(first->memory().total, 3 * mib);
  EXPECT_NE(first->describe().find("emulated device 1 of 3 MiB on "), std::string::npos)
      << first->describe();
}

TEST(Emulated, EnvironmentSaysWhichDevice) {
  {
    const Variable variable("HFFT_GPU", "emulated");
    EXPECT_EQ(Runtime::open(5)->memory().total, 4096 * mib);
  }
  const EmulatedOptions options = emulated_options("emulated:delays=7,memory=512");
  EXPECT_EQ(options.bytes, 512 * mib);
  EXPECT_EQ(options.devices, 1);
  EXPECT_EQ(options.delays, 7U);
  EXPECT_FALSE(emulated_options("emulated").delays);
  for (const std::string value :
       {"gpu", "Emulated", "emulated2", "emulated:", "emulated:512", "emulated:memory",
        "emulated:memory=", "emulated:memory=0", "emulated:memory=-1", "emulated:memory=5x",
        "emulated:memory=5,", "emulated:memory=5,size=1", "emulated,devices=1",
        "emulated:devices=3000000000", "emulated:memory=99999999999999999999"}) {
    const Variable variable("HFFT_GPU", value);
    expect_error(HFFT_ERROR_ENVIRONMENT,
                 {"HFFT_GPU is '" + value + "', expected cuda, emulated, or emulated:memory=MiB"},
                 [] { Runtime::open(0); });
  }
}

#if !HFFT_CUDA
TEST(Emulated, BuildsWithoutCudaSayHowToGetADevice) {
  unsetenv("HFFT_GPU");
  const std::vector<std::string> words{"-DHFFT_CUDA=ON", "HFFT_GPU=emulated"};
  expect_error(HFFT_ERROR_UNSUPPORTED, words, [] { Runtime::open(0); });
  for (const char *value : {"", "cuda"}) {
    const Variable variable("HFFT_GPU", value);
    expect_error(HFFT_ERROR_UNSUPPORTED, words, [] { Runtime::open(0); });
  }
}
#endif

} // namespace
