// The transports of device messages: CUDA-aware MPI, copies through pinned host memory, and NCCL,
// which needs no action of the host after its calls are enqueued.

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/mpi.h"
#include "device/runtime.h"
#include "grid/message_carrier.h"
#include "grid/message_requests.h"

namespace hybridfft::grid {

namespace {

class DirectMessages final : public MessageCarrier {
public:
  DirectMessages(const Communicator &comm, Stages stages, DeviceBuffers &buffers,
                 device::Runtime &runtime)
      : buffers_(buffers) {
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

  void start(std::size_t s, device::Stream &stream) override { stream.record(*stages_[s].packed); }

  /// Sends once the stream has completed the work enqueued before start(). This work may write the
  /// outgoing buffers, or read the incoming buffers of the last exchange.
  bool send_ready(std::size_t s) override {
    Stage &stage = stages_[s];
    if (!stage.packed->reached()) return false;
    stage.requests.start_receiving();
    for (std::size_t n = 0; n < stage.requests.sends(); ++n)
      stage.requests.start_sending(n);
    return true;
  }

  bool poll(std::size_t s) override { return stages_[s].requests.poll(); }
  void finish(std::size_t s, device::Stream & /*stream*/) override { stages_[s].requests.finish(); }

private:
  struct Stage {
    std::unique_ptr<device::Event> packed;
    MessageRequests requests;
  };

  DeviceBuffers &buffers_;
  std::vector<Stage> stages_;
};

} // namespace

std::unique_ptr<MessageCarrier> direct_messages(const Communicator &comm, Stages stages,
                                                DeviceBuffers &buffers, device::Runtime &runtime) {
  return std::make_unique<DirectMessages>(comm, stages, buffers, runtime);
}

namespace {

/// Copies messages through pinned host memory. Outgoing copies run one after another in the
/// runtime's copy stream; each message is sent while the next one is copied. Incoming copies use a
/// stream of their own, so that they need not wait for outgoing copies, which wait for kernels.
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
  /// Waits for copies in flight, because the pinned memory is freed now.
  ~StagedMessages() override {
    try {
      runtime_.copies().synchronize();
      if (into_device_ != nullptr) into_device_->synchronize();
    } catch (const std::exception &) {
      // The failure was reported before, or the next call reports it.
    }
  }

  void start(std::size_t s, device::Stream &stream) override {
    Stage &stage = stages_[s];
    // Waits for the last exchange's incoming copies. Once this exchange begins, neighbours may
    // overwrite the host buffers that these copies read.
    if (stage.used) stage.copied_in->synchronize();
    stage.used = true;
    stage.sent = 0;
    stage.turn = messages_.begin(s);
    messages_.start_receiving(s);
    stream.record(*stage.packed);
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

  /// All outgoing copies are complete before this call. The stream passed to start() has therefore
  /// completed its earlier work, and no longer reads messages of earlier exchanges.
  void finish(std::size_t s, device::Stream &stream) override {
    Stage &stage = stages_[s];
    const int turn = messages_.finish(s);
    for (std::size_t n = 0; n < stage.copied_out.size(); ++n)
      if (const Index bytes = buffers_.traffic(s)[n].received; bytes > 0)
        into_device_->copy(buffers_.incoming(s, n), messages_.incoming(s, n, turn),
                           static_cast<std::size_t>(bytes));
    into_device_->record(*stage.copied_in);
    stream.wait(*stage.copied_in);
  }

private:
  struct Stage {
    std::unique_ptr<device::Event> packed, copied_in;
    std::vector<std::unique_ptr<device::Event>> copied_out; ///< one event for each neighbour
    std::size_t sent = 0; ///< number of messages sent so far in this exchange
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

namespace {

std::unique_ptr<device::Peers> join(MPI_Comm comm, device::Runtime &runtime) {
  const int rank = mpi::rank(comm);
  std::string id;
  std::int64_t bytes = 0;
  mpi::all_or_none(comm,
                   [&] {
                     if (rank == 0) id = runtime.make_peers_id();
                     bytes = static_cast<std::int64_t>(id.size());
                   },
                   {&bytes, 1});
  mpi::all_or_none(comm, [&] { id.resize(static_cast<std::size_t>(bytes)); });
  mpi::check(MPI_Bcast(id.data(), static_cast<int>(bytes), MPI_BYTE, 0, comm), "MPI_Bcast");
  std::unique_ptr<device::Peers> peers;
  mpi::all_or_none(comm, [&] {
    peers = runtime.join_peers(id, rank, mpi::size(comm));
    if (peers == nullptr) throw Failure(HFFT_ERROR_UNSUPPORTED, "the device has no NCCL");
  });
  return peers;
}

} // namespace

std::shared_ptr<PeerGroup> group_of(const Communicator &comm, device::Runtime &runtime) {
  static std::vector<std::weak_ptr<PeerGroup>> groups;
  auto duplicate = exchange::acquire(comm.handle());
  std::erase_if(groups, [](const auto &group) { return group.expired(); });
  for (const std::weak_ptr<PeerGroup> &group : groups)
    if (auto found = group.lock(); found->runtime == &runtime && found->comm == duplicate)
      return found;
  auto peers = join(duplicate->get(), runtime);
  std::shared_ptr<PeerGroup> made;
  comm.agree([&] {
    made = std::make_shared<PeerGroup>(
        PeerGroup{&runtime, std::move(duplicate), std::move(peers), runtime.make_stream()});
    groups.push_back(made);
  });
  return made;
}

namespace {

class PeerMessages final : public MessageCarrier {
public:
  PeerMessages(const Communicator &comm, Stages stages, const DeviceBuffers &buffers,
               device::Runtime &runtime)
      : buffers_(buffers), group_(group_of(comm, runtime)) {
    comm.agree([&] {
      for (std::size_t s = 0; s < stages.size(); ++s)
        stages_.push_back({runtime.make_event(), runtime.make_event()});
    });
  }

  void start(std::size_t s, device::Stream &stream) override {
    device::Stream &wire = *group_->wire;
    stream.record(*stages_[s].packed);
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
  void finish(std::size_t s, device::Stream &stream) override { stream.wait(*stages_[s].arrived); }

private:
  struct Stage {
    std::unique_ptr<device::Event> packed, arrived;
  };

  const DeviceBuffers &buffers_;
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
