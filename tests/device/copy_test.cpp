// Tests copies of the emulated device: bounds, and when the host waits, as CUDA documents them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "support.h"

namespace {

using namespace hybridfft::device;
using namespace hybridfft::device::test;

TEST(Emulated, CopyBeyondAllocation_IsRefused) {
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
  // Both ends of this copy are allocated, but not the memory between them.
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

TEST(Emulated, CopyOfPageableMemory_MakesHostWait) {
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

TEST(Emulated, CopyOfPinnedMemory_DoesNotWait) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 1);
  std::vector<double> pinned(3, 5);
  runtime->pin(pinned.data(), 3 * sizeof(double));
  Stream &stream = runtime->compute();
  {
    Gate gate(stream);
    stream.copy(array.data(), &pinned[0], sizeof(double));
    stream.copy(&pinned[2], array.data(), sizeof(double));
    pinned[0] = 6; // the device reads this value later
    pinned[2] = 7; // overwritten by the copy, which has not started
    gate.open();
    stream.synchronize();
    EXPECT_EQ(pinned[2], 6);
  }
  runtime->unpin(pinned.data());
  // This copy makes the host wait, until another thread opens the gate.
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

TEST(Emulated, PinnedMemory_IsWholeAndPinnedOnce) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 4);
  std::vector<double> host(4);
  runtime->pin(host.data(), 2 * sizeof(double));
  expect_error(HFFT_ERROR_INTERNAL, {"pinned twice"},
               [&] { runtime->pin(host.data() + 1, 2 * sizeof(double)); });
  runtime->pin(host.data() + 2, sizeof(double));
  // A capture accepts only asynchronous copies, so it shows whether memory is pinned.
  const auto copied = [&](std::size_t first, std::size_t values) {
    Stream &stream = runtime->compute();
    const auto copy = [&] { stream.copy(&host[first], array.data(), values * sizeof(double)); };
    return runtime->capture(stream, copy);
  };
  EXPECT_NE(copied(0, 2), nullptr);
  EXPECT_NE(copied(1, 1), nullptr);
  for (const std::size_t first : {0U, 1U, 3U})
    expect_error(HFFT_ERROR_INTERNAL, {"not pinned"}, [&] { copied(first, 4 - first); });
  runtime->unpin(host.data());
  runtime->unpin(host.data());
  runtime->pin(host.data(), 2 * sizeof(double));
}

TEST(Emulated, DelayedCopy_SpoilsEarlyReads) {
  const auto runtime = delayed(2);
  const Array<double> array(*runtime, 1);
  double pinned = 1;
  runtime->compute().copy(array.data(), &pinned, sizeof pinned);
  runtime->pin(&pinned, sizeof pinned);
  int spoilt = 0;
  for (int round = 0; round < 200; ++round) {
    // The target is NaN before the copy arrives, even if it had the right value already.
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

} // namespace
