// Chooses the transport of messages between devices: CUDA-aware MPI, NCCL, or copies through the
// host. Each candidate is tried with real messages first.
#include <array>
#include <cstring>
#include <random>
#include <set>

#include "base/environment.h"
#include "base/mpi.h"
#include "grid/device_messages.h"
#include "grid/message_carrier.h"

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

/// Device memory for a trial message, and pinned host copies of it.
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
