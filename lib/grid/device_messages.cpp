#include "grid/device_messages.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <random>
#include <set>

#include "base/environment.h"
#include "base/error.h"
#include "base/mpi.h"
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
  // The host polls until the device has written all messages and the host has sent them. Only then
  // may a call of MPI block.
  Idle idle(impl_->comm.handle());
  for (send_ready(); !waiting().empty() && !poll(s);)
    idle.pause();
  impl_->carrier->finish(s, stream);
}

} // namespace hybridfft::grid

// Chooses the transport of messages between devices: CUDA-aware MPI, NCCL, or copies through the
// host. CUDA-aware MPI must first transfer trial messages, and NCCL must join the ranks.

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h> // MPIX_CUDA_AWARE_SUPPORT, MPIX_Query_cuda_support()
#endif

namespace hybridfft::grid {

namespace {

/// True if MPI can be given addresses of this device: MPI reports support, the user asserts it by
/// HFFT_CUDA_AWARE_MPI=1, or the device is emulated. Without support MPI would crash on such
/// addresses, so they cannot simply be tried.
bool may_carry(device::Runtime &runtime) {
  if (runtime.compute().handle() == nullptr) return true;
  if (word_of_environment("HFFT_CUDA_AWARE_MPI", {"0", "1"}) == "1") return true;
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}

/// Device memory for a trial message; set() and get() copy it from and to the host.
class TrialMessage {
public:
  TrialMessage(device::Runtime &runtime, std::size_t bytes)
      : runtime_(runtime), memory_(static_cast<std::byte *>(runtime.allocate_for_messages(bytes))),
        bytes_(bytes) {}
  ~TrialMessage() { runtime_.deallocate(memory_); }
  TrialMessage(const TrialMessage &) = delete;
  TrialMessage &operator=(const TrialMessage &) = delete;

  std::byte *data() const { return memory_; }
  void set(const std::vector<std::byte> &values) {
    runtime_.compute().copy(memory_, values.data(), bytes_);
    runtime_.compute().synchronize();
  }
  std::vector<std::byte> get() {
    std::vector<std::byte> values(bytes_);
    runtime_.compute().copy(values.data(), memory_, bytes_);
    runtime_.compute().synchronize();
    return values;
  }

private:
  device::Runtime &runtime_;
  std::byte *memory_;
  std::size_t bytes_;
};

/// Returns the pseudo-random bytes sent by a rank in the trial.
std::vector<std::byte> pattern(int rank, std::size_t bytes) {
  std::mt19937 numbers(static_cast<unsigned>(rank) + 1);
  std::vector<std::byte> values(bytes);
  for (std::byte &value : values)
    value = static_cast<std::byte>(numbers() >> 24);
  return values;
}

/// Sends a trial message from each rank's device to the device of the next rank. True if all ranks
/// receive the correct bytes. Collective.
bool arrives(MPI_Comm comm, device::Runtime &runtime, std::size_t bytes) {
  constexpr int tag = 1999; // below the tags of exchanges between neighbours
  const int rank = mpi::rank(comm), size = mpi::size(comm);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  std::unique_ptr<TrialMessage> out, in;
  mpi::all_or_none(comm, [&] {
    out = std::make_unique<TrialMessage>(runtime, bytes);
    in = std::make_unique<TrialMessage>(runtime, bytes);
    out->set(pattern(rank, bytes));
    in->set(std::vector<std::byte>(bytes));
  });
  mpi::check(MPI_Sendrecv(out->data(), static_cast<int>(bytes), MPI_BYTE, next, tag, in->data(),
                          static_cast<int>(bytes), MPI_BYTE, before, tag, comm, MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
  return mpi::everywhere(comm, [&] { return in->get() == pattern(before, bytes); });
}

/// Tries a short and a long message, because MPI uses different protocols for them.
bool mpi_carries(MPI_Comm comm, device::Runtime &runtime) {
  return arrives(comm, runtime, 1000) && arrives(comm, runtime, 3'000'001);
}

/// Returns the reason not to try NCCL; an empty text if it may work. Collective.
std::string why_no_nccl(MPI_Comm comm, const device::Runtime &runtime) {
  if (!mpi::everywhere(comm, [&] { return runtime.has_peers(); })) return "the device has no NCCL";
  std::string mine;
  std::int64_t longest = 0;
  mpi::all_or_none(comm,
                   [&] {
                     mine = runtime.identity();
                     longest = static_cast<std::int64_t>(mine.size());
                   },
                   {&longest, 1});
  std::vector<char> all;
  mpi::all_or_none(comm, [&] {
    mine.resize(static_cast<std::size_t>(longest));
    all.resize(mine.size() * static_cast<std::size_t>(mpi::size(comm)));
  });
  const auto count = static_cast<int>(longest);
  mpi::check(MPI_Allgather(mine.data(), count, MPI_CHAR, all.data(), count, MPI_CHAR, comm),
             "MPI_Allgather");
  std::string reason;
  mpi::all_or_none(comm, [&] {
    std::set<std::string> devices;
    for (auto name = all.begin(); name != all.end(); name += longest)
      devices.insert(std::string(name, name + longest));
    if (const auto ranks = static_cast<std::size_t>(mpi::size(comm)); devices.size() < ranks)
      reason = std::to_string(ranks) + " ranks share " + std::to_string(devices.size()) +
               (devices.size() == 1 ? " device" : " devices");
  });
  return reason;
}

/// Joins the ranks in a group of NCCL. If this fails, returns `staged` with NCCL's reason.
/// Collective.
ChosenTransport joined(const Communicator &comm, MPI_Comm ranks, device::Runtime &runtime) {
  if (std::string reason = why_no_nccl(ranks, runtime); !reason.empty())
    return {Transport::staged, std::move(reason)};
  try {
    return {Transport::nccl, "each rank has a device of its own", group_of(comm, runtime)};
  } catch (const Error &e) {
    if (e.code() != HFFT_ERROR_UNSUPPORTED) throw;
    return {Transport::staged, e.what()};
  }
}

[[noreturn]] void refuse(const char *transport, const std::string &reason) {
  throw Failure(HFFT_ERROR_UNSUPPORTED,
                std::string("transport ") + transport + " between devices: " + reason);
}

/// Returns the reason why MPI cannot transfer device memory; an empty text if it can. Collective.
std::string why_not_cuda_aware(MPI_Comm comm, device::Runtime &runtime) {
  if (!mpi::everywhere(comm, [&] { return may_carry(runtime); }))
    return "MPI does not claim to be CUDA-aware";
  if (!mpi_carries(comm, runtime))
    return "MPI claims to be CUDA-aware, but a message between devices had wrong bytes";
  return {};
}

const char *const carried = "a message between devices has arrived";

/// Tries the transports in order of preference and returns the first one that works.
ChosenTransport best(const Communicator &comm, MPI_Comm ranks, device::Runtime &runtime) {
  if (comm.size() == 1) return {Transport::staged, "there is one rank only"};
  const bool emulated = runtime.compute().handle() == nullptr;
  const std::string reason =
      emulated ? "the device is emulated" : why_not_cuda_aware(ranks, runtime);
  if (reason.empty()) return {Transport::cuda_aware, carried};
  ChosenTransport nccl = joined(comm, ranks, runtime);
  if (nccl.transport == Transport::nccl) return nccl;
  return {Transport::staged, reason + "; no NCCL: " + nccl.reason};
}

} // namespace

const char *name_of(Transport transport) {
  switch (transport) {
  case Transport::staged:
    return "staged";
  case Transport::cuda_aware:
    return "cuda_aware";
  case Transport::nccl:
    return "nccl";
  case Transport::automatic:
    break;
  }
  return "auto";
}

ChosenTransport choose_transport(Transport wanted, const Communicator &comm,
                                 device::Runtime &runtime) {
  const auto duplicate = exchange::acquire(comm.handle());
  MPI_Comm ranks = duplicate->get();
  switch (wanted) {
  case Transport::automatic:
    return best(comm, ranks, runtime);
  case Transport::staged:
    break;
  case Transport::cuda_aware: {
    const std::string reason = why_not_cuda_aware(ranks, runtime);
    if (!reason.empty()) refuse("cuda_aware", reason);
    return {Transport::cuda_aware, carried};
  }
  case Transport::nccl:
    ChosenTransport nccl = joined(comm, ranks, runtime);
    if (nccl.transport != Transport::nccl) refuse("nccl", nccl.reason);
    nccl.reason = "as was asked for";
    return nccl;
  }
  return {Transport::staged, "as was asked for"};
}

} // namespace hybridfft::grid
