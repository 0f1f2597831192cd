#include "base/memory.h"
#include "solvers/lfb/axis_fill.h"
#include "solvers/lfb/extension_carrier.h"

namespace hybridfft::lfb {

namespace {

template <class Real> class HostCarrier final : public ExtensionCarrier<Real> {
public:
  using typename ExtensionCarrier<Real>::Fields;

  HostCarrier(const ExtensionPlan<Real> &plan, int threads)
      : plan_(plan), threads_(threads), messages_(plan.communicator(), plan.traffic(), threads) {
    plan.communicator().agree([&] {
      for (const auto &stage : plan.stages()) {
        Axis &axis = axes_.emplace_back();
        for (const Index gap : stage.gaps)
          axis.fills.emplace_back(*stage.basis, gap);
        axis.local = Memory(static_cast<std::size_t>(stage.local_values) * sizeof(Real), threads);
      }
    });
  }

  void send(std::size_t s, std::size_t n, Fields fields) override {
    if (n == 0) axes_[s].sent_turn = messages_.begin(s);
    const int turn = axes_[s].sent_turn;
    const auto at = [&](const typename ExtensionPlan<Real>::MessageSlot &slot) {
      return address(s, slot, slot.message ? messages_.outgoing(s, *slot.message, turn) : nullptr);
    };
    for (const AxisSide side : sides)
      axes_[s].fills[n].pack(plan_.packing(plan_.stages()[s], n, side, fields[n], at), threads_);
    if (n + 1 == fields.size()) messages_.start(s);
  }

  bool poll(std::size_t s) override { return messages_.poll(s); }
  void receive(std::size_t s) override { axes_[s].turn = messages_.finish(s); }

  void fill(std::size_t s, Fields fields) override {
    const auto at = [&](const typename ExtensionPlan<Real>::MessageSlot &slot) {
      return address(s, slot,
                     slot.message ? messages_.incoming(s, *slot.message, axes_[s].turn) : nullptr);
    };
    for (std::size_t n = 0; n < fields.size(); ++n)
      axes_[s].fills[n].fill(plan_.filling(plan_.stages()[s], n, fields[n], at), threads_);
  }

private:
  struct Axis {
    std::vector<AxisFill<Real>> fills; ///< one per block of this rank
    Memory local;                      ///< values exchanged within this rank
    int sent_turn = 0;                 ///< turn of the messages being packed
    int turn = 0;                      ///< turn of the received messages
  };

  Real *address(std::size_t s, const typename ExtensionPlan<Real>::MessageSlot &slot,
                std::byte *message) const {
    std::byte *memory = slot.message ? message : axes_[s].local.data();
    return reinterpret_cast<Real *>(memory) + slot.first;
  }

  const ExtensionPlan<Real> &plan_;
  int threads_;
  grid::NeighbourMessages messages_;
  std::vector<Axis> axes_;
};

} // namespace

template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> host_carrier(const ExtensionPlan<Real> &plan, int threads) {
  return std::make_unique<HostCarrier<Real>>(plan, threads);
}

template std::unique_ptr<ExtensionCarrier<float>> host_carrier(const ExtensionPlan<float> &, int);
template std::unique_ptr<ExtensionCarrier<double>> host_carrier(const ExtensionPlan<double> &, int);

} // namespace hybridfft::lfb
