#include "grid/device_messages.h"

#include <algorithm>
#include <deque>

#include "base/error.h"
#include "grid/message_carrier.h"
#include "grid/message_requests.h"

namespace hybridfft::grid {

namespace {

/// Rounds up to a multiple of 256 bytes, so that all buffers are aligned for devices.
std::size_t whole_blocks(Index bytes) {
  constexpr std::size_t block = 256;
  return (static_cast<std::size_t>(bytes) + block - 1) / block * block;
}

/// A started exchange, some of whose messages the device has not written yet.
struct Waiting {
  MessageCarrier *carrier;
  std::size_t stage;

  friend bool operator==(const Waiting &, const Waiting &) = default;
};

/// Queue of the started exchanges of all objects in this process. Messages are sent in the order of
/// this queue on all ranks, whichever device completes first, because MPI matches messages between
/// two ranks by the order of sending.
std::deque<Waiting> &waiting() {
  static std::deque<Waiting> all;
  return all;
}

/// Sends messages from the front of the queue, as long as devices have completed them.
void send_ready() {
  std::deque<Waiting> &all = waiting();
  while (!all.empty() && all.front().carrier->send_ready(all.front().stage))
    all.pop_front();
}

std::unique_ptr<MessageCarrier> make_carrier(Transport transport, const Communicator &comm,
                                             Stages stages, DeviceBuffers &buffers,
                                             device::Runtime &runtime) {
  switch (transport) {
  case Transport::staged:
    return staged_messages(comm, stages, buffers, runtime);
  case Transport::cuda_aware:
    return direct_messages(comm, stages, buffers, runtime);
  case Transport::nccl:
    return peer_messages(comm, stages, buffers, runtime);
  case Transport::automatic:
    break;
  }
  throw Failure(HFFT_ERROR_ARGUMENT, "messages between devices: no transport has been chosen");
}

} // namespace

DeviceBuffers::DeviceBuffers(Stages stages, device::Runtime &runtime, bool for_mpi)
    : runtime_(&runtime) {
  std::size_t bytes = 0;
  for (const std::vector<Traffic> &traffic : stages)
    for (const Traffic &t : traffic)
      bytes += whole_blocks(t.sent) + whole_blocks(t.received);
  traffic_.assign(stages.begin(), stages.end());
  places_.resize(stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s)
    places_[s].resize(stages[s].size());
  if (bytes == 0) return;
  memory_ = for_mpi ? runtime.allocate_for_messages(bytes) : runtime.allocate(bytes);
  auto *next = static_cast<std::byte *>(memory_);
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (std::size_t n = 0; n < stages[s].size(); ++n) {
      places_[s][n].out = next;
      places_[s][n].in = next + whole_blocks(stages[s][n].sent);
      next = places_[s][n].in + whole_blocks(stages[s][n].received);
    }
}

struct DeviceMessages::Impl {
  Communicator comm;
  device::Runtime *runtime;
  std::unique_ptr<DeviceBuffers> buffers;
  std::unique_ptr<MessageCarrier> carrier;

  /// False if this rank has no neighbours in a stage. The stage is then skipped, so a CUDA graph
  /// can capture it.
  bool has_messages(std::size_t s) const { return !buffers->traffic(s).empty(); }
  bool is_waiting(std::size_t s) const {
    return std::find(waiting().begin(), waiting().end(), Waiting{carrier.get(), s}) !=
           waiting().end();
  }
};

DeviceMessages::DeviceMessages(const Communicator &comm,
                               std::span<const std::vector<Traffic>> stages,
                               device::Runtime &runtime, Transport transport) {
  comm.agree([&] {
    impl_ = std::make_unique<Impl>(Impl{comm, &runtime, nullptr, nullptr});
    impl_->buffers =
        std::make_unique<DeviceBuffers>(stages, runtime, transport == Transport::cuda_aware);
  });
  impl_->carrier = make_carrier(transport, comm, stages, *impl_->buffers, runtime);
}

DeviceMessages::~DeviceMessages() {
  std::erase_if(waiting(), [&](const Waiting &w) { return w.carrier == impl_->carrier.get(); });
}

std::byte *DeviceMessages::outgoing(std::size_t s, std::size_t n) const {
  return impl_->buffers->outgoing(s, n);
}

std::byte *DeviceMessages::incoming(std::size_t s, std::size_t n) const {
  return impl_->buffers->incoming(s, n);
}

void DeviceMessages::start(std::size_t s) { start(s, impl_->runtime->compute()); }

void DeviceMessages::start(std::size_t s, device::Stream &stream) {
  if (!impl_->has_messages(s)) return;
  impl_->carrier->start(s, stream);
  waiting().push_back({impl_->carrier.get(), s});
  send_ready();
}

bool DeviceMessages::poll(std::size_t s) {
  send_ready();
  return !impl_->has_messages(s) || (!impl_->is_waiting(s) && impl_->carrier->poll(s));
}

void DeviceMessages::finish(std::size_t s) { finish(s, impl_->runtime->compute()); }

void DeviceMessages::finish(std::size_t s, device::Stream &stream) {
  if (!impl_->has_messages(s)) return;
  // The host polls until the device has completed all messages and they are sent. Afterwards MPI
  // may block.
  Idle idle(impl_->comm.handle());
  for (send_ready(); !waiting().empty() && !poll(s);)
    idle.pause();
  impl_->carrier->finish(s, stream);
}

} // namespace hybridfft::grid
