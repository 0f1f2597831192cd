/// Interface implemented by each transport of DeviceMessages, and the group of ranks joined by
/// NCCL.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/runtime.h"
#include "exchange/communicator.h"
#include "grid/neighbour_messages.h"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

using Stages = std::span<const std::vector<Traffic>>;

/// Device memory for the message buffers of all stages.
class DeviceBuffers {
public:
  /// \throws Error(HFFT_ERROR_OUT_OF_MEMORY)
  DeviceBuffers(Stages stages, device::Runtime &runtime, bool for_mpi);
  ~DeviceBuffers() { runtime_->deallocate(memory_); }
  /// Leaks the memory on purpose, because MPI may still access it.
  void leave() noexcept { memory_ = nullptr; }
  DeviceBuffers(const DeviceBuffers &) = delete;
  DeviceBuffers &operator=(const DeviceBuffers &) = delete;

  /// traffic() has the messages of stage s; outgoing() and incoming() return the device addresses
  /// of the buffers of message n.
  const std::vector<Traffic> &traffic(std::size_t s) const { return traffic_[s]; }
  std::byte *outgoing(std::size_t s, std::size_t n) const { return places_[s][n].out; }
  std::byte *incoming(std::size_t s, std::size_t n) const { return places_[s][n].in; }

private:
  struct BufferPlace {
    std::byte *out, *in;
  };
  device::Runtime *runtime_;
  void *memory_ = nullptr;
  std::vector<std::vector<Traffic>> traffic_;
  std::vector<std::vector<BufferPlace>> places_;
};

/// Transfers messages between device buffers of ranks. A transfer runs after all work enqueued
/// before start() in the stream given to it.
class MessageCarrier {
public:
  virtual ~MessageCarrier() = default;
  /// Enqueues the device's part of stage s. Does not wait for messages or for the device.
  virtual void start(std::size_t s, device::Stream &stream) = 0;
  /// Sends the messages whose buffers the device has completed.
  /// \return true if all messages of the stage have been sent off
  virtual bool send_ready(std::size_t s) = 0;
  /// Advances messages in flight, once send_ready() has returned true.
  /// \return true if all messages have been received and sent
  virtual bool poll(std::size_t s) = 0;
  /// Waits for the messages, and makes the stream wait for the device's remaining copies.
  virtual void finish(std::size_t s, device::Stream &stream) = 0;
};

/// Returns a carrier that stages messages through pinned host memory. This function and the next
/// two are collective and throw on all ranks. `buffers` and `runtime` must outlive the carrier.
std::unique_ptr<MessageCarrier> staged_messages(const Communicator &comm, Stages stages,
                                                const DeviceBuffers &buffers,
                                                device::Runtime &runtime);
/// Returns a carrier that passes device addresses to MPI.
std::unique_ptr<MessageCarrier> direct_messages(const Communicator &comm, Stages stages,
                                                DeviceBuffers &buffers, device::Runtime &runtime);
/// Returns a carrier that uses NCCL.
std::unique_ptr<MessageCarrier> peer_messages(const Communicator &comm, Stages stages,
                                              const DeviceBuffers &buffers,
                                              device::Runtime &runtime);

/// The NCCL communicator of the ranks, and one stream for all of its messages. All ranks enqueue
/// messages in the same order. Objects share a group, because it takes device memory and connecting
/// takes time.
struct PeerGroup {
  device::Runtime *runtime;
  std::shared_ptr<exchange::Communicator> comm;
  std::unique_ptr<device::Peers> peers;
  std::unique_ptr<device::Stream> wire;
};

/// Returns the group in use, or a new one if there is none. Collective.
/// \throws Error(HFFT_ERROR_UNSUPPORTED) on all ranks, with the reason, if the ranks cannot be
/// joined
std::shared_ptr<PeerGroup> group_of(const Communicator &comm, device::Runtime &runtime);

} // namespace hybridfft::grid
