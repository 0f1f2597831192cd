// Performs the stages of a block extension on a device. All kernels run in the compute stream;
// messages are in flight between them.

#include <map>

#include "device/launch.h"
#include "solvers/lfb/device_matrix.h"
#include "solvers/lfb/extension_carrier.h"

namespace hybridfft::lfb {

namespace {

/// Returns the box with `sides` indices along axis 0, one for each side of a block.
grid::Box times(grid::Box box, Index sides) {
  box.hi[0] = sides;
  return box;
}

/// Applies a basis along one axis in the compute stream of a device. The counterpart of AxisFill.
template <class Real> class DeviceFill {
public:
  DeviceFill(device::Runtime &runtime, const Basis &basis, std::span<const Index> gaps)
      : runtime_(&runtime), numbers_(basis.numbers()) {
    if (!basis.moments().empty())
      moments_ = {runtime, basis.numbers(), basis.overlap(), basis.moments().data()};
    for (const Index gap : gaps) {
      if (gaps_.contains(gap)) continue;
      const std::vector<double> all = basis.coefficients(gap);
      if (basis.kind() == Basis::GapRule::continuation)
        gaps_[gap].continuation = {runtime, gap, basis.columns(), all.data()};
      else
        gaps_[gap].bell = {runtime, SparseMatrix<Real>::of(gap, basis.columns(), all.data())};
    }
  }

  /// Writes the messages for both sides.
  void pack(const Packing<Real> &below, const Packing<Real> &above) const {
    if (const DenseMatrix<Real> moments = moments_.matrix(); moments.rows > 0) {
      const MultiplyDense<Real, Packing<Real>, 2> f{{below, above}, moments};
      launch(f, times(box_of(below.lines, f.parts()), 2));
    } else {
      const PackPoints<Real> f{{below, above}};
      launch(f, times(box_of(below.lines, numbers_), 2));
    }
  }

  void fill(const Filling<Real> &filling, Index gap) const {
    const Gap &g = gaps_.at(gap);
    if (const DenseMatrix<Real> all = g.continuation.matrix(); all.rows > 0) {
      const MultiplyDense<Real, Filling<Real>, 1> f{{filling}, all};
      launch(f, box_of(filling.lines, f.parts()));
    } else {
      const FillBell<Real> f{filling, g.bell.terms(), g.bell.rows()};
      launch(f, box_of(filling.lines, f.rows));
    }
  }

private:
  /// Matrix for one size of gap. One of the members is empty.
  struct Gap {
    DeviceSparse<Real> bell;
    DeviceDense<Real> continuation;
  };

  template <class F> void launch(const F &f, const grid::Box &box) const {
    device::launch(runtime_->compute(), box, f);
  }

  device::Runtime *runtime_;
  Index numbers_;
  DeviceDense<Real> moments_; ///< empty if points are sent
  std::map<Index, Gap> gaps_; ///< matrices by size of the gap
};

/// ExtensionCarrier for fields in the memory of a device.
template <class Real> class DeviceCarrier final : public ExtensionCarrier<Real> {
public:
  using typename ExtensionCarrier<Real>::Fields;

  DeviceCarrier(const ExtensionPlan<Real> &plan, device::Runtime &runtime,
                grid::Transport transport)
      : plan_(plan), messages_(plan.communicator(), plan.traffic(), runtime, transport) {
    plan.communicator().agree([&] {
      for (const auto &stage : plan.stages()) {
        axes_.push_back({{runtime, *stage.basis, stage.gaps}, {}});
        if (stage.local_values > 0)
          axes_.back().local = {runtime, static_cast<std::size_t>(stage.local_values)};
      }
    });
  }

  /// Sends one message per block, in flight while the next block is computed and packed.
  void send(std::size_t s, std::size_t n, Fields fields) override {
    const auto &stage = plan_.stages()[s];
    const auto at = [&](const MessageSlot &slot) {
      return address(s, slot,
                     slot.message ? messages_.outgoing(stage.first_part + slot.part, *slot.message)
                                  : nullptr);
    };
    axes_[s].fill.pack(plan_.packing(stage, n, AxisSide::below, fields[n], at),
                       plan_.packing(stage, n, AxisSide::above, fields[n], at));
    messages_.start(stage.first_part + n);
    if (n + 1 ==
        fields
            .size()) // ranks with more blocks send more messages; the remaining parts receive them
      for (std::size_t part = n + 1; part < stage.traffic.size(); ++part)
        messages_.start(stage.first_part + part);
  }

  bool poll(std::size_t s) override {
    const auto &stage = plan_.stages()[s];
    bool all = true;
    for (std::size_t part = 0; part < stage.traffic.size(); ++part)
      all = messages_.poll(stage.first_part + part) && all;
    return all;
  }
  void receive(std::size_t s) override {
    const auto &stage = plan_.stages()[s];
    for (std::size_t part = 0; part < stage.traffic.size(); ++part)
      messages_.finish(stage.first_part + part);
  }

  void fill(std::size_t s, Fields fields) override {
    const auto &stage = plan_.stages()[s];
    const auto at = [&](const MessageSlot &slot) {
      return address(s, slot,
                     slot.message ? messages_.incoming(stage.first_part + slot.part, *slot.message)
                                  : nullptr);
    };
    for (std::size_t n = 0; n < fields.size(); ++n)
      axes_[s].fill.fill(plan_.filling(stage, n, fields[n], at), stage.gaps[n]);
  }

private:
  using MessageSlot = typename ExtensionPlan<Real>::MessageSlot;
  struct Axis {
    DeviceFill<Real> fill;
    device::Array<Real> local; ///< values exchanged between blocks of this rank
  };

  Real *address(std::size_t s, const MessageSlot &slot, std::byte *message) const {
    return (slot.message ? reinterpret_cast<Real *>(message) : axes_[s].local.data()) + slot.first;
  }

  const ExtensionPlan<Real> &plan_;
  grid::DeviceMessages messages_;
  std::vector<Axis> axes_;
};

} // namespace

template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> device_carrier(const ExtensionPlan<Real> &plan,
                                                       device::Runtime &runtime,
                                                       grid::Transport transport) {
  return std::make_unique<DeviceCarrier<Real>>(plan, runtime, transport);
}

template std::unique_ptr<ExtensionCarrier<float>>
device_carrier(const ExtensionPlan<float> &, device::Runtime &, grid::Transport);
template std::unique_ptr<ExtensionCarrier<double>>
device_carrier(const ExtensionPlan<double> &, device::Runtime &, grid::Transport);

} // namespace hybridfft::lfb
