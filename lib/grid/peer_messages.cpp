// Messages between devices by NCCL: all that the host does is to put them into a stream.

#include "base/mpi.h"
#include "grid/message_carrier.h"

namespace hybridfft::grid {

namespace {

/// The peers of a communicator, which take memory of the device and time to find each other, and
/// the stream that all their messages are in, in the order that all ranks start them in.
struct PeerGroup {
  device::Runtime *runtime;
  std::shared_ptr<exchange::Communicator> comm;
  std::unique_ptr<device::Peers> peers;
  std::unique_ptr<device::Stream> wire;
};

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

/// The group that earlier exchanges use, or a new one when none is left. Collective.
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
