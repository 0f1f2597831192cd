/// Messages of fixed sizes between neighbouring ranks, whose buffers are in device memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/runtime.h"
#include "grid/neighbour_messages.h"

namespace hybridfft::grid {

/// Method to transfer device memory to another rank.
enum class Transport {
  automatic,  ///< the first of cuda_aware and nccl that works, otherwise staged
  staged,     ///< messages are copied through pinned host memory
  cuda_aware, ///< MPI reads and writes device memory
  nccl        ///< NCCL transfers messages in device streams
};

/// Returns the name of a transport: "staged", "cuda_aware", ...
const char *name_of(Transport transport);

struct PeerGroup;

/// A chosen transport, with the reason for reports.
struct ChosenTransport {
  Transport transport = Transport::staged;
  std::string reason; ///< reason for the choice
  /// The NCCL communicator of the ranks. Keeping it here lets all DeviceMessages share it.
  std::shared_ptr<PeerGroup> peers = nullptr;
};

/// Chooses a transport that works between the ranks' devices. A trial message tests CUDA-aware MPI.
/// NCCL counts as working if the ranks can be joined; ranks sharing a device cannot. Collective.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks, with the reason, if the wanted transport
/// does not work
ChosenTransport choose_transport(Transport wanted, const Communicator &comm,
                                 device::Runtime &runtime);

/// NeighbourMessages with buffers on the device. An exchange of stage s: kernels in a stream write
/// the outgoing buffers; start(s); finish(s); kernels in a stream read the incoming buffers. The
/// next start(s) may overwrite the incoming buffers. The stream is the compute stream unless
/// another one is given.
class DeviceMessages {
public:
  /// \param transport any but automatic; for the other arguments see NeighbourMessages
  DeviceMessages(const Communicator &comm, std::span<const std::vector<Traffic>> stages,
                 device::Runtime &runtime, Transport transport);
  ~DeviceMessages();
  DeviceMessages(const DeviceMessages &) = delete;
  DeviceMessages &operator=(const DeviceMessages &) = delete;

  /// Device addresses of the buffers of stages[s][n].
  std::byte *outgoing(std::size_t s, std::size_t n) const;
  std::byte *incoming(std::size_t s, std::size_t n) const;

  /// Sends the outgoing buffers after the work enqueued in the stream so far. The call does not
  /// wait for this work, and later kernels run while messages are in flight.
  void start(std::size_t s);
  void start(std::size_t s, device::Stream &stream);
  /// Makes received messages available to later work in the stream. Depending on the transport,
  /// the host waits for the messages or only the stream does.
  void finish(std::size_t s);
  void finish(std::size_t s, device::Stream &stream);
  /// Advances messages in flight, without waiting.
  /// \return true if all have been received
  bool poll(std::size_t s);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Opens this rank's device. The devices of a node are assigned to its ranks in turn. Collective.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks if one has no device
std::unique_ptr<device::Runtime> open_device(const Communicator &comm);

/// Opens devices on nodes with more ranks than devices: remaining ranks compute on `threads` host
/// threads. Collective. Also throws if no rank, or every rank, gets a device.
std::unique_ptr<device::Runtime> open_device_or_processors(const Communicator &comm, int threads);

/// Returns the sum of `mine` over the ranks that share this rank's device. Collective.
double sum_of_device(const Communicator &comm, const device::Runtime &runtime, double mine);

} // namespace hybridfft::grid
