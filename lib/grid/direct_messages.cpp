// Messages between devices by an MPI with access to their memory.

#include "grid/message_carrier.h"
#include "grid/message_requests.h"

namespace hybridfft::grid {

namespace {

class DirectMessages final : public MessageCarrier {
public:
  DirectMessages(const Communicator &comm, Stages stages, DeviceBuffers &buffers,
                 device::Runtime &runtime)
      : buffers_(buffers), runtime_(runtime) {
    const auto duplicate = exchange::acquire(comm.handle());
    const int tag = next_neighbour_tag(*duplicate);
    comm.agree([&] {
      for (std::size_t s = 0; s < stages.size(); ++s) {
        Stage &stage = stages_.emplace_back(Stage{runtime.make_event(), {duplicate, tag}});
        for (std::size_t n = 0; n < stages[s].size(); ++n)
          if (const Traffic &t = stages[s][n]; t.received > 0)
            stage.requests.receive(buffers.incoming(s, n), t.received, t.rank);
        for (std::size_t n = 0; n < stages[s].size(); ++n)
          if (const Traffic &t = stages[s][n]; t.sent > 0)
            stage.requests.send(buffers.outgoing(s, n), t.sent, t.rank);
      }
    });
  }

  ~DirectMessages() override {
    const exchange::Patience patience;
    bool all_sent = true;
    for (Stage &stage : stages_)
      all_sent = stage.requests.cancel(patience) && all_sent;
    if (!all_sent) buffers_.leave();
  }

  void start(std::size_t s) override { runtime_.compute().record(*stages_[s].packed); }

  /// Until the compute stream has reached this point, it may still write the outgoing buffers, and
  /// read the incoming buffers of the last exchange.
  bool send_ready(std::size_t s) override {
    Stage &stage = stages_[s];
    if (!stage.packed->reached()) return false;
    stage.requests.start_receiving();
    for (std::size_t n = 0; n < stage.requests.sends(); ++n)
      stage.requests.start_sending(n);
    return true;
  }

  bool poll(std::size_t s) override { return stages_[s].requests.poll(); }
  void finish(std::size_t s) override { stages_[s].requests.finish(); }

private:
  struct Stage {
    std::unique_ptr<device::Event> packed;
    MessageRequests requests;
  };

  DeviceBuffers &buffers_;
  device::Runtime &runtime_;
  std::vector<Stage> stages_;
};

} // namespace

std::unique_ptr<MessageCarrier> direct_messages(const Communicator &comm, Stages stages,
                                                DeviceBuffers &buffers, device::Runtime &runtime) {
  return std::make_unique<DirectMessages>(comm, stages, buffers, runtime);
}

} // namespace hybridfft::grid
