// Messages between devices by NCCL: the host only enqueues them in a stream.

#include "grid/message_carrier.h"
#include "grid/peer_group.h"

namespace hybridfft::grid {

namespace {

class PeerMessages final : public MessageCarrier {
public:
  PeerMessages(const Communicator &comm, Stages stages, const DeviceBuffers &buffers,
               device::Runtime &runtime)
      : buffers_(buffers), runtime_(runtime), group_(group_of(comm, runtime)) {
    comm.agree([&] {
      for (std::size_t s = 0; s < stages.size(); ++s)
        stages_.push_back({runtime.make_event(), runtime.make_event()});
    });
  }

  void start(std::size_t s) override {
    device::Stream &wire = *group_->wire;
    runtime_.compute().record(*stages_[s].packed);
    wire.wait(*stages_[s].packed);
    const std::vector<Traffic> &traffic = buffers_.traffic(s);
    group_->peers->begin();
    for (std::size_t n = 0; n < traffic.size(); ++n) {
      const Traffic &t = traffic[n];
      if (t.received > 0)
        group_->peers->receive(wire, buffers_.incoming(s, n), static_cast<std::size_t>(t.received),
                               t.rank);
      if (t.sent > 0)
        group_->peers->send(wire, buffers_.outgoing(s, n), static_cast<std::size_t>(t.sent),
                            t.rank);
    }
    group_->peers->end();
    wire.record(*stages_[s].arrived);
  }

  bool send_ready(std::size_t) override { return true; }
  bool poll(std::size_t s) override { return stages_[s].arrived->reached(); }
  void finish(std::size_t s) override { runtime_.compute().wait(*stages_[s].arrived); }

private:
  struct Stage {
    std::unique_ptr<device::Event> packed, arrived;
  };

  const DeviceBuffers &buffers_;
  device::Runtime &runtime_;
  std::shared_ptr<PeerGroup> group_;
  std::vector<Stage> stages_;
};

} // namespace

std::unique_ptr<MessageCarrier> peer_messages(const Communicator &comm, Stages stages,
                                              const DeviceBuffers &buffers,
                                              device::Runtime &runtime) {
  return std::make_unique<PeerMessages>(comm, stages, buffers, runtime);
}

} // namespace hybridfft::grid
