// Halo exchange between arrays in device memory: kernels pack and unpack the messages.

#include <cstdint>

#include "device/launch.h"
#include "grid/device_messages.h"
#include "grid/halo_plan.h"
#include "grid/row_copies.h"
#include "hybridfft/grid/device.hpp"

namespace hybridfft::grid::detail {

namespace {

/// A list of copies, run by one kernel on the device.
class DeviceCopies {
public:
  void add(const RowCopy &copy) {
    if (copy.bytes() > 0) given_.push_back(copy);
  }
  /// Uploads the list to the device, when all copies have been added.
  /// \param value_bytes size of an element
  void settle(device::Runtime &runtime, Index value_bytes) {
    word_ = value_bytes % 8 == 0 ? 8 : value_bytes % 4 == 0 ? 4 : 1;
    std::vector<Index> first;
    for (const RowCopy &copy : given_) {
      first.push_back(words_);
      words_ += copy.bytes() / word_;
    }
    copies_ = device::Array<RowCopy>(runtime, given_.data(), given_.size());
    first_ = device::Array<Index>(runtime, first.data(), first.size());
  }
  void run(device::Stream &stream) const {
    if (words_ == 0) return;
    if (word_ == 8)
      launch<std::uint64_t>(stream);
    else if (word_ == 4)
      launch<std::uint32_t>(stream);
    else
      launch<unsigned char>(stream);
  }

private:
  template <class Word> void launch(device::Stream &stream) const {
    device::launch(stream, Box(1, 1, words_),
                   CopyList<Word>{copies_.data(), first_.data(), static_cast<int>(given_.size())});
  }

  std::vector<RowCopy> given_;
  device::Array<RowCopy> copies_;
  device::Array<Index> first_;
  Index words_ = 0, word_ = 1;
};

/// Halo exchange of arrays of a device.
class DeviceHalo final : public HaloExchange::Impl {
public:
  DeviceHalo(const Device &device, const Cartesian &cartesian, const HaloPlan &plan,
             Index value_bytes)
      : Impl(plan), device_(device),
        messages_(cartesian.communicator(), plan.traffic(), device.runtime(),
                  choose_transport(Transport::automatic, cartesian.communicator(), device.runtime())
                      .transport) {
    cartesian.communicator().agree([&] {
      stages_.resize(plan.stages());
      for (std::size_t s = 0; s < plan.stages(); ++s)
        place(plan, s, value_bytes);
    });
  }
  ~DeviceHalo() override {
    try {
      device_.synchronize(); // kernels may still read the lists to be freed
                             // the failure was reported before, or the next call reports it
    } catch (const std::exception &) {
    }
  }

  void start() override {
    if (!stages_.empty()) start(0);
  }
  bool test() override { return stages_.empty() || messages_.poll(0); }
  void finish() override {
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (s > 0) start(s);
      wait(s);
      const Stopwatch watch(times.copies);
      stages_[s].unpack.run(stream());
    }
  }
  Index bytes_shared() const override { return 0; }

private:
  struct Stage {
    DeviceCopies pack, unpack, local;
  };
  device::Stream &stream() const { return device_.runtime().compute(); }

  void place(const HaloPlan &plan, std::size_t s, Index value_bytes) {
    Stage &stage = stages_[s];
    plan.for_copies(
        s, [&](std::size_t n) { return messages_.outgoing(s, n); },
        [&](std::size_t n) { return messages_.incoming(s, n); },
        [&](HaloPlan::Copy kind, const RowCopy &copy) {
          (kind == HaloPlan::Copy::pack     ? stage.pack
           : kind == HaloPlan::Copy::unpack ? stage.unpack
                                            : stage.local)
              .add(copy);
        });
    for (DeviceCopies *copies : {&stage.pack, &stage.unpack, &stage.local})
      copies->settle(device_.runtime(), value_bytes);
  }
  void start(std::size_t s) {
    {
      const Stopwatch watch(times.pack);
      stages_[s].pack.run(stream());
      messages_.start(s);
    }
    const Stopwatch watch(times.copies);
    stages_[s].local.run(stream());
  }
  void wait(std::size_t s) {
    const Stopwatch watch(times.wait);
    messages_.finish(s);
  }

  Device device_;
  std::vector<Stage> stages_;
  DeviceMessages messages_;
};

} // namespace

HaloExchange::HaloExchange(const Device &device, const Cartesian &cartesian,
                           std::span<const HaloArray> arrays, std::size_t widths_given,
                           std::size_t value_bytes, Schedule schedule)
    : impl_(std::make_unique<DeviceHalo>(
          device, cartesian, HaloPlan(cartesian, arrays, widths_given, value_bytes, schedule),
          static_cast<Index>(value_bytes))) {}

} // namespace hybridfft::grid::detail
