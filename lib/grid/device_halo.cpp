// Halo exchange between arrays in device memory: kernels pack and unpack the messages. An exchange
// axis by axis has several stages. After start() it enqueues them in a stream of its own, so that
// they run concurrently with kernels that the caller enqueues before finish().

#include <cstdint>
#include <exception>
#include <memory>

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

/// Halo exchange of arrays of a device. Later stages start in finish() and not in test(), so that
/// all ranks send the messages of all halos in the same order.
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
      if (plan.stages() < 2) return;
      own_stream_ = device_.runtime().make_stream();
      ordered_ = device_.runtime().make_event();
    });
  }
  ~DeviceHalo() override {
    try {
      // Kernels may still read the lists to be freed.
      if (own_stream_ != nullptr) own_stream_->synchronize();
      device_.synchronize();
    } catch (const std::exception &) {
      // The failure was reported before, or the next call reports it.
    }
  }

  void start() override {
    if (stages_.empty()) return;
    start(0, compute());
    if (own_stream_ != nullptr) hand_over(compute(), *own_stream_);
  }
  bool test() override { return stages_.empty() || messages_.poll(0); }
  void finish() override {
    device::Stream &stream = own_stream_ != nullptr ? *own_stream_ : compute();
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      if (s > 0) start(s, stream);
      wait(s, stream);
      const Stopwatch watch(times.copies);
      stages_[s].unpack.run(stream);
    }
    if (own_stream_ != nullptr) hand_over(*own_stream_, compute());
  }
  Index bytes_shared() const override { return 0; }

private:
  struct Stage {
    DeviceCopies pack, unpack, local;
  };
  device::Stream &compute() const { return device_.runtime().compute(); }
  /// Lets later work of `to` wait for all work enqueued in `from` so far.
  void hand_over(device::Stream &from, device::Stream &to) {
    from.record(*ordered_);
    to.wait(*ordered_);
  }

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
  void start(std::size_t s, device::Stream &stream) {
    {
      const Stopwatch watch(times.pack);
      stages_[s].pack.run(stream);
      messages_.start(s, stream);
    }
    const Stopwatch watch(times.copies);
    stages_[s].local.run(stream);
  }
  void wait(std::size_t s, device::Stream &stream) {
    const Stopwatch watch(times.wait);
    messages_.finish(s, stream);
  }

  Device device_;
  std::vector<Stage> stages_;
  std::unique_ptr<device::Stream> own_stream_; ///< nullptr if there is one stage
  std::unique_ptr<device::Event> ordered_;
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
