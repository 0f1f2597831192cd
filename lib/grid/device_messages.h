/// Messages of fixed sizes between neighbouring ranks, from and to the memory of their devices.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/runtime.h"
#include "grid/neighbour_messages.h"

namespace hybridfft::grid {

/// Ways to move data from device to device across ranks.
enum class Transport {
  automatic,  ///< the first of cuda_aware and nccl that works, else staged
  staged,     ///< copied through pinned memory of the host
  cuda_aware, ///< MPI accesses the device's memory
  nccl        ///< NCCL transfers in the device's streams
};

/// Returns "staged", "cuda_aware", ...
const char *name_of(Transport transport);

struct PeerGroup;

/// A transport, and the reason for the choice for reports.
struct ChosenTransport {
  Transport transport = Transport::staged;
  std::string reason; ///< reason for the choice
  /// The ranks joined by NCCL, for all DeviceMessages made during its lifetime.
  std::shared_ptr<PeerGroup> peers = nullptr;
};

/// Chooses a transport that works between the ranks' devices. A message tests MPI's support of
/// devices; joining the ranks tests NCCL's, unless they share a device. Collective.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks, with the reason, if the wanted transport
/// does not work
ChosenTransport choose_transport(Transport wanted, const Communicator &comm,
                                 device::Runtime &runtime);

/// NeighbourMessages with buffers on the device. An exchange of stage s has four steps. Kernels in
/// the compute stream write the outgoing buffers; start(s); finish(s); kernels in the compute
/// stream read the incoming buffers. start(s) of the next exchange may overwrite these.
class DeviceMessages {
public:
  /// \param transport not automatic; for the other arguments see NeighbourMessages
  DeviceMessages(const Communicator &comm, std::span<const std::vector<Traffic>> stages,
                 device::Runtime &runtime, Transport transport);
  ~DeviceMessages();
  DeviceMessages(const DeviceMessages &) = delete;
  DeviceMessages &operator=(const DeviceMessages &) = delete;

  /// The buffers of stages[s][n], on the device.
  std::byte *outgoing(std::size_t s, std::size_t n) const;
  std::byte *incoming(std::size_t s, std::size_t n) const;

  /// Sends the outgoing buffers when the compute stream reaches this point. Does not wait for it:
  /// later kernels compute while messages travel.
  void start(std::size_t s);
  /// Makes the received messages available to later work in the compute stream. The host may wait,
  /// or return before they arrive.
  void finish(std::size_t s);
  /// Advances messages in flight, without waiting.
  /// \return true if all have been received
  bool poll(std::size_t s);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Distributes a node's devices to its ranks in turn. Collective.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks if one has no device
std::unique_ptr<device::Runtime> open_device(const Communicator &comm);

/// Does the same for nodes with more ranks than devices. Ranks beyond the number of devices compute
/// on `threads` processors. Collective. Also throws if no rank, or every rank, has a device.
std::unique_ptr<device::Runtime> open_device_or_processors(const Communicator &comm, int threads);

/// Returns the sum over the ranks on the same device. Collective.
double sum_of_device(const Communicator &comm, const device::Runtime &runtime, double mine);

} // namespace hybridfft::grid
