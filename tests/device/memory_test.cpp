// Tests the memory of the emulated device: its capacity, and access by the host and by enqueued
// work.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "device/arena.h"
#include "support.h"
#include "support/skipped_cases.h"

namespace {

using namespace hybridfft::device;
using namespace hybridfft::device::test;
using hybridfft::test::this_machine;

bool is_nan_of_ones(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits == ~std::uint64_t{0};
}

TEST(AddressRanges, Address_IsContainedWithinOneRange) {
  std::array<char, 64> memory{};
  const char *const at = memory.data();
  AddressRanges ranges;
  EXPECT_FALSE(ranges.contain(at, 1));
  EXPECT_TRUE(ranges.add(at + 16, 16));
  EXPECT_TRUE(ranges.add(at + 32, 8));
  EXPECT_FALSE(ranges.add(at + 8, 9)) << "overlaps at its end";
  EXPECT_FALSE(ranges.add(at + 31, 1)) << "overlaps at its start";
  EXPECT_FALSE(ranges.add(at, 0));
  EXPECT_TRUE(ranges.contain(at + 16, 16));
  EXPECT_TRUE(ranges.contain(at + 31, 1));
  EXPECT_FALSE(ranges.contain(at + 15, 2));
  EXPECT_FALSE(ranges.contain(at + 31, 2)) << "in two ranges";
  EXPECT_FALSE(ranges.contain(at + 40, 1));
  ranges.remove(at + 20);
  EXPECT_TRUE(ranges.contain(at + 20, 4)) << "no range begins there";
  ranges.remove(at + 16);
  EXPECT_FALSE(ranges.contain(at + 20, 4));
  EXPECT_TRUE(ranges.add(at + 8, 9));
}

TEST(Emulated, NewMemory_IsAlignedDistinctAndNaN) {
  const auto runtime = runtime_of(mib);
  std::vector<Array<double>> arrays;
  for (const std::size_t size : {1U, 32U, 33U, 1000U}) {
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
  // New memory at the same place must not hold old values.
  const double *place = arrays[1].data();
  arrays[1] = {};
  arrays[1] = Array<double>(*runtime, 32);
  EXPECT_EQ(arrays[1].data(), place);
  EXPECT_TRUE(is_nan_of_ones(value_of(runtime->compute(), place)));
  EXPECT_EQ(Array<double>(*runtime, 0).data(), nullptr);
}

TEST(Emulated, FreedMemory_HasNoValues) {
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

TEST(Emulated, TooLittleMemory_IsReported) {
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

TEST(Emulated, GapsBetweenAllocations_TakeNoMemory) {
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

/// Returns true if a process was ended by a forbidden access to memory.
bool ended_by_access(int status) {
  return address_sanitizer ? status != 0 : WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

class EmulatedDeathTest : public testing::Test {
protected:
  void SetUp() override {
    if (HFFT_TEST_CROSS_BUILD)
      GTEST_SKIP() << this_machine << "qemu-user cannot begin a second program";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(EmulatedDeathTest, HostAccess_EndsProcess) {
  const auto runtime = runtime_of(mib);
  const std::vector<double> ones(4, 1);
  const Array<double> array(*runtime, ones.data(), ones.size());
  volatile double *values = array.data();
  EXPECT_EXIT(static_cast<void>(values[0]), ended_by_access, "");
  EXPECT_EXIT(values[3] = 1, ended_by_access, "");
  // Only work enqueued in a stream may access the array.
  double value = 0;
  runtime->compute().run([&] { value = values[3]; });
  runtime->compute().synchronize();
  EXPECT_EQ(value, 1);
  EXPECT_EXIT(static_cast<void>(values[3]), ended_by_access, "");
}

TEST_F(EmulatedDeathTest, HostAccessWhileStreamWaits_EndsProcess) {
  const auto runtime = runtime_of(mib);
  const Array<double> array(*runtime, 4);
  volatile double *values = array.data();
  const auto try_it = [&] {
    // The gate is work, so it runs on another device. The stream of this device only waits.
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

TEST(Emulated, WorkWritingOutside_IsFound) {
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

TEST(Emulated, MemoryForMessages_IsOpenToHost) {
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

TEST(Emulated, FreeingMemory_WaitsForAllStreams) {
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

} // namespace
