// Tests how emulated devices are opened, and the environment variable HFFT_GPU.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.h"
#include "support/skipped_cases.h"
#include "support/variable.h"

namespace {

using namespace hybridfft::device;
using namespace hybridfft::device::test;
using hybridfft::test::this_machine;
using hybridfft::test::Variable;

/// Returns a number of this process from /proc/self/status by its name.
std::size_t status(const std::string &name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  throw std::runtime_error("no " + name);
}

TEST(Emulated, RuntimesDestroyed_FreeThreadsAndMemory) {
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
  if (HFFT_TEST_CROSS_BUILD)
    GTEST_SKIP() << this_machine << "the address space of qemu-user itself grows";
  // One runtime reserves more than 2^34 bytes of address space.
  EXPECT_LT(status("VmSize"), kibibytes + (std::size_t{1} << 24));
}

TEST(Emulated, Ranks_ShareDevicesCyclically) {
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

TEST(Emulated, ExclusiveDevicesInUse_FirstFreeIsTaken) {
  const std::string key = std::to_string(getpid());
  const Variable variable("HFFT_GPU", "emulated:memory=3,devices=3,exclusive=" + key);
  const auto number_of = [](const Runtime &runtime) {
    return runtime.describe().substr(0, std::string("emulated device N").size());
  };
  auto first = Runtime::open(1);
  EXPECT_EQ(number_of(*first), "emulated device 1");
  const auto second = Runtime::open(1);
  EXPECT_EQ(number_of(*second), "emulated device 2");
  const auto third = Runtime::open(1);
  EXPECT_EQ(number_of(*third), "emulated device 0");
  expect_error(
      HFFT_ERROR_UNSUPPORTED,
      {"no emulated device is free", "tried 3", "one process", "expected at most one rank"},
      [] { Runtime::open(2); });
  first.reset();
  EXPECT_EQ(number_of(*Runtime::open(2)), "emulated device 1");
  const Variable others("HFFT_GPU", "emulated:memory=3,exclusive=" + key + "0");
  EXPECT_EQ(number_of(*Runtime::open(0)), "emulated device 0");
}

TEST(Emulated, Environment_SelectsDevice) {
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

#if !HFFT_TEST_CUDA
TEST(Emulated, BuildWithoutCuda_ReportsHowToGetDevice) {
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
