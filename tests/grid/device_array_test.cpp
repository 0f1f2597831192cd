// Compares arrays, loops and halo exchange on a device with the host, bit for bit. Only the
// installed interface is used. The emulated device delays its work by random times.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/halo.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "support/mpi_test.h"
#include "support/variable.h"

namespace hybridfft::grid {
namespace {

/// Fills an array with values that differ between points and between fields.
template <class T> struct Fill {
  HFFT_HOST_DEVICE void operator()(Index i, Index j, Index k) const {
    values(i, j, k) = T(field + 3 * i + 5 * j * j + 7 * k);
  }
  View<T> values;
  Index field;
};

template <class T> using Fields = std::vector<std::unique_ptr<Array<T>>>;

template <class T> std::vector<Array<T> *> pointers(const Fields<T> &fields) {
  std::vector<Array<T> *> all;
  for (const auto &field : fields)
    all.push_back(field.get());
  return all;
}

/// Returns blocks distributed cyclically. If there are fewer blocks than ranks, the last ranks own
/// none.
Cartesian blocks_of(const Communicator &comm, const Index3 &parts, const Periodic &periodic) {
  std::vector<int> owners;
  for (Index b = 0; b < parts[0] * parts[1] * parts[2]; ++b)
    owners.push_back(static_cast<int>(b % comm.size()));
  return Cartesian(comm, even_cuts({{11, 9, 8}}, parts), periodic, owners);
}

/// Returns the number of values with other bytes in arrays of the host and of the device.
template <class T>
std::size_t differences(const Device &device, const Fields<T> &on_host,
                        const Fields<T> &on_device) {
  std::size_t count = 0;
  for (std::size_t n = 0; n < on_host.size(); ++n) {
    Array<T> copy(Place::host, on_host[n]->inner(), on_host[n]->ghosts());
    copy.take(device, *on_device[n]);
    const View<T> a = on_host[n]->view(), b = copy.view();
    const Box box = copy.box();
    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
      for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
          count += std::memcmp(&a(i, j, k), &b(i, j, k), sizeof(T)) == 0 ? 0 : 1;
  }
  return count;
}

template <class T> void expect_the_same_as_on_the_host(const Index3 &parts) {
  const Communicator world(test::world());
  const test::Variable emulated("HFFT_GPU", "emulated:memory=64,delays=5");
  const Device device = Device::open(world);
  const std::array<Widths, 2> widths{Widths{{{2, 0, 1}}, {{1, 3, 2}}}, Widths::all(1)};
  for (const Periodic &periodic : {Periodic{true, false, true}, Periodic{}})
    for (const Schedule schedule : {Schedule::all_at_once, Schedule::in_order}) {
      const Cartesian c = blocks_of(world, parts, periodic);
      Fields<T> host, there;
      for (std::size_t f = 0; f < widths.size(); ++f)
        for (const int block : c.mine()) {
          host.push_back(std::make_unique<Array<T>>(Place::host, c.box(block), widths[f]));
          there.push_back(std::make_unique<Array<T>>(device, c.box(block), widths[f]));
          EXPECT_EQ(there.back()->place(), Place::device);
        }
      Halo<T> halo(c, pointers(host), widths, schedule);
      Halo<T> device_halo(device, c, pointers(there), widths, schedule);
      for (const Index round : {0, 100}) {
        for (std::size_t n = 0; n < host.size(); ++n) {
          const Index field = round + static_cast<Index>(n);
          parallel_for(Host{}, host[n]->inner(), Fill<T>{host[n]->view(), field});
          parallel_for(device, there[n]->inner(), Fill<T>{there[n]->view(), field});
        }
        halo.exchange();
        device_halo.exchange();
        EXPECT_EQ(differences(device, host, there), 0U);
      }
      EXPECT_EQ(device_halo.bytes_sent(), halo.bytes_sent());
      EXPECT_EQ(device_halo.messages_sent(), halo.messages_sent());
    }
}

TEST(DeviceArrays, HalosAndLoops_HaveBitsOfHost) {
  expect_the_same_as_on_the_host<float>({{2, 2, 2}});
  expect_the_same_as_on_the_host<double>({{5, 1, 2}});
  expect_the_same_as_on_the_host<std::int16_t>({{1, 3, 1}});
}

/// A long kernel: ends when the host sets `ended`, or after ten seconds.
struct LongKernel {
  void operator()(Index, Index, Index) const {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!*ended && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    *in_time = ended->load();
  }
  std::atomic<bool> *ended, *in_time;
};

/// All stages of an exchange axis by axis run beside the kernels enqueued after its start.
TEST(DeviceArrays, HaloInOrderBesideLongKernel_FinishesBeforeTheKernel) {
  const Communicator world(test::world());
  const test::Variable emulated("HFFT_GPU", "emulated:memory=64");
  const Device device = Device::open(world);
  const Cartesian c = blocks_of(world, {{2, 2, 2}}, {});
  Fields<float> host, there;
  for (const int block : c.mine()) {
    host.push_back(std::make_unique<Array<float>>(Place::host, c.box(block), Widths::all(2)));
    there.push_back(std::make_unique<Array<float>>(device, c.box(block), Widths::all(2)));
    parallel_for(Host{}, host.back()->inner(), Fill<float>{host.back()->view(), block});
    parallel_for(device, there.back()->inner(), Fill<float>{there.back()->view(), block});
  }
  Halo<float> halo(c, pointers(host), {}, Schedule::in_order);
  Halo<float> device_halo(device, c, pointers(there), {}, Schedule::in_order);
  std::atomic<bool> ended = false, in_time = false;
  device_halo.start();
  parallel_for(device, Box(1, 1, 1), LongKernel{&ended, &in_time});
  device_halo.finish();
  ended = true;
  device.synchronize();
  EXPECT_TRUE(in_time);
  halo.exchange();
  EXPECT_EQ(differences(device, host, there), 0U);
}

TEST(DeviceArrays, NewAndCopied_HoldZerosAndValues) {
  const test::Variable emulated("HFFT_GPU", "emulated:memory=64");
  const Device device = Device::open(Communicator(test::world()));
  Array<float> host(Place::host, Box(3, 4, 5), Widths::all(1));
  parallel_for(Host{}, host.box(), Fill<float>{host.view(), 1});
  const Array<float> there = host.copy_to(device);
  Array<float> back(Place::host, host.inner(), host.ghosts());
  back.take(device, there);
  EXPECT_EQ(back.view()(-1, 4, 5), host.view()(-1, 4, 5));
  EXPECT_THROW(Array<float>(Place::host, Box(3, 4, 4)).take(device, there), Error);
  EXPECT_THROW(static_cast<void>(there.copy_to(Place::host)), Error);
  const Array<float> zeros(device, Box(3, 4, 5));
  Array<float> copy(Place::host, Box(3, 4, 5));
  copy.view()(1, 1, 1) = 1;
  copy.take(device, zeros);
  EXPECT_EQ(copy.view()(1, 1, 1), 0);
}

/// If one rank has no device, all ranks must report it.
TEST(DeviceArrays, MissingDevice_IsRefusedOnAllRanks) {
  const Communicator world(test::world());
  const test::Variable kind("HFFT_GPU", world.rank() == 0 ? "voodoo" : "emulated:memory=64");
  try {
    static_cast<void>(Device::open(world));
    FAIL() << "a device that there is not";
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("voodoo"), std::string::npos) << e.what();
  }
}

} // namespace
} // namespace hybridfft::grid
