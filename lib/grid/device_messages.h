/// Messages of fixed sizes between neighbouring ranks, from and to memory of their devices.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/runtime.h"
#include "grid/neighbour_messages.h"

namespace hybridfft::grid {

/// The way in which memory of a device is sent to another rank.
enum class Transport {
  automatic,  ///< the first of cuda_aware and nccl that works here, else staged
  staged,     ///< through pinned memory of the host, in NeighbourMessages
  cuda_aware, ///< by MPI, which is given addresses of the device
  nccl        ///< by NCCL, in the device's streams
};

/// "staged", "cuda_aware" ...
const char *name_of(Transport transport);

struct PeerGroup;

/// A transport, and a sentence about the choice for reports.
struct ChosenTransport {
  Transport transport = Transport::staged;
  std::string reason; ///< why this one was chosen
  /// The ranks as NCCL has joined them, for the DeviceMessages that are made while this is there.
  std::shared_ptr<PeerGroup> peers = nullptr;
};

/// The transport that can carry messages between the ranks' devices: MPI's support of devices is
/// tested with a message, NCCL's by joining the ranks, unless they share a device. Collective.
/// Throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks if the wanted one cannot, with the reason.
ChosenTransport choose_transport(Transport wanted, const Communicator &comm,
                                 device::Runtime &runtime);

/// As NeighbourMessages, with buffers of the device. An exchange of stage s is: kernels in the
/// compute stream write the outgoing buffers, start(s), finish(s), kernels in the compute stream
/// read the incoming buffers, which may be overwritten by start(s) of the next exchange.
class DeviceMessages {
public:
  /// \param transport not automatic. The rest as NeighbourMessages.
  DeviceMessages(const Communicator &comm, std::span<const std::vector<Traffic>> stages,
                 device::Runtime &runtime, Transport transport);
  ~DeviceMessages();
  DeviceMessages(const DeviceMessages &) = delete;
  DeviceMessages &operator=(const DeviceMessages &) = delete;

  /// The buffers of stages[s][n], on the device.
  std::byte *outgoing(std::size_t s, std::size_t n) const;
  std::byte *incoming(std::size_t s, std::size_t n) const;

  /// Sends the outgoing buffers as they are when the compute stream comes to this point. Does not
  /// wait for it: kernels that follow compute while messages travel.
  void start(std::size_t s);
  /// Later work in the compute stream finds the messages in the incoming buffers. The host may
  /// wait, and return before they are there.
  void finish(std::size_t s);
  /// Lets the messages under way progress, without waiting. True if all have been received.
  bool poll(std::size_t s);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace hybridfft::grid
