// Messages between devices through pinned memory of the host.

#include <exception>

#include "device/pin.h"
#include "grid/message_carrier.h"

namespace hybridfft::grid {

namespace {

/// Outgoing copies are made in the runtime's stream for copies, one message after another. Each is
/// sent while the next one is copied. Incoming copies have a stream of their own. They do not wait
/// for outgoing copies of other exchanges, which wait for kernels.
class StagedMessages final : public MessageCarrier {
public:
  StagedMessages(const Communicator &comm, Stages stages, const DeviceBuffers &buffers,
                 device::Runtime &runtime)
      : buffers_(buffers), runtime_(runtime), messages_(comm, stages, 1) {
    comm.agree([&] {
      for (const std::span<std::byte> pages : messages_.pages())
        pins_.emplace_back(runtime, pages);
      into_device_ = runtime.make_stream();
      for (const std::vector<Traffic> &traffic : stages) {
        Stage &stage = stages_.emplace_back();
        stage.packed = runtime.make_event();
        stage.copied_in = runtime.make_event();
        for (std::size_t n = 0; n < traffic.size(); ++n)
          stage.copied_out.push_back(runtime.make_event());
      }
    });
  }
  /// The memory is unpinned and freed now, so no copy may be in flight.
  ~StagedMessages() override {
    try {
      runtime_.copies().synchronize();
      if (into_device_ != nullptr) into_device_->synchronize();
      // the failure was reported before, or is reported by the next call
    } catch (const std::exception &) {
    }
  }

  void start(std::size_t s) override {
    Stage &stage = stages_[s];
    // Once the exchange has begun, neighbours may overwrite the sources of these copies.
    if (stage.used) stage.copied_in->synchronize();
    stage.used = true;
    stage.sent = 0;
    stage.turn = messages_.begin(s);
    messages_.start_receiving(s);
    runtime_.compute().record(*stage.packed);
    runtime_.copies().wait(*stage.packed);
    for (std::size_t n = 0; n < stage.copied_out.size(); ++n) {
      const Index bytes = buffers_.traffic(s)[n].sent;
      if (bytes > 0)
        runtime_.copies().copy(messages_.outgoing(s, n, stage.turn), buffers_.outgoing(s, n),
                               static_cast<std::size_t>(bytes));
      runtime_.copies().record(*stage.copied_out[n]);
    }
  }

  bool send_ready(std::size_t s) override {
    Stage &stage = stages_[s];
    for (; stage.sent < stage.copied_out.size(); ++stage.sent) {
      if (!stage.copied_out[stage.sent]->reached()) return false;
      messages_.send(s, stage.sent);
    }
    return true;
  }

  bool poll(std::size_t s) override { return messages_.poll(s); }

  /// All outgoing copies are complete, so the compute stream has reached start(). Earlier messages
  /// are no longer read.
  void finish(std::size_t s) override {
    Stage &stage = stages_[s];
    const int turn = messages_.finish(s);
    for (std::size_t n = 0; n < stage.copied_out.size(); ++n)
      if (const Index bytes = buffers_.traffic(s)[n].received; bytes > 0)
        into_device_->copy(buffers_.incoming(s, n), messages_.incoming(s, n, turn),
                           static_cast<std::size_t>(bytes));
    into_device_->record(*stage.copied_in);
    runtime_.compute().wait(*stage.copied_in);
  }

private:
  struct Stage {
    std::unique_ptr<device::Event> packed, copied_in;
    std::vector<std::unique_ptr<device::Event>> copied_out; ///< one per neighbour
    std::size_t sent = 0;                                   ///< number of messages in flight
    int turn = 0;
    bool used = false;
  };

  const DeviceBuffers &buffers_;
  device::Runtime &runtime_;
  NeighbourMessages messages_;
  std::vector<device::Pin> pins_;
  std::unique_ptr<device::Stream> into_device_;
  std::vector<Stage> stages_;
};

} // namespace

std::unique_ptr<MessageCarrier> staged_messages(const Communicator &comm, Stages stages,
                                                const DeviceBuffers &buffers,
                                                device::Runtime &runtime) {
  return std::make_unique<StagedMessages>(comm, stages, buffers, runtime);
}

} // namespace hybridfft::grid
