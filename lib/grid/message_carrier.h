/// The interface of each transport of DeviceMessages: one file for each of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "device/runtime.h"
#include "grid/neighbour_messages.h"

namespace hybridfft::grid {

using Stages = std::span<const std::vector<Traffic>>;

/// Memory of a device for the messages of all stages.
class DeviceBuffers {
public:
  /// Throws Error(HFFT_ERROR_OUT_OF_MEMORY).
  DeviceBuffers(Stages stages, device::Runtime &runtime, bool for_mpi);
  ~DeviceBuffers() { runtime_->deallocate(memory_); }
  /// Gives the memory up without freeing it, for MPI may still read it.
  void leave() noexcept { memory_ = nullptr; }
  DeviceBuffers(const DeviceBuffers &) = delete;
  DeviceBuffers &operator=(const DeviceBuffers &) = delete;

  /// The messages of stage s, and the addresses of message n on the device.
  const std::vector<Traffic> &traffic(std::size_t s) const { return traffic_[s]; }
  std::byte *outgoing(std::size_t s, std::size_t n) const { return places_[s][n].out; }
  std::byte *incoming(std::size_t s, std::size_t n) const { return places_[s][n].in; }

private:
  struct Place {
    std::byte *out, *in;
  };
  device::Runtime *runtime_;
  void *memory_ = nullptr;
  std::vector<std::vector<Traffic>> traffic_;
  std::vector<std::vector<Place>> places_;
};

/// Carries messages between the buffers of devices. An exchange runs after the work that the
/// compute stream had when start() was called.
class MessageCarrier {
public:
  virtual ~MessageCarrier() = default;
  /// Enqueues the device's work for stage s. Does not wait for messages or for the device.
  virtual void start(std::size_t s) = 0;
  /// Sends the messages that the device has ready. True if all messages of the stage are on their
  /// way.
  virtual bool send_ready(std::size_t s) = 0;
  /// To be called after that: true if all have been received and sent.
  virtual bool poll(std::size_t s) = 0;
  /// Waits for the messages, and lets the compute stream wait for the device's remaining work.
  virtual void finish(std::size_t s) = 0;
};

/// Constructors of all are collective and throw on all ranks; `buffers` and `runtime` outlive them.
std::unique_ptr<MessageCarrier> staged_messages(const Communicator &comm, Stages stages,
                                                const DeviceBuffers &buffers,
                                                device::Runtime &runtime);
/// Makes a carrier by an MPI that reads and writes the device's memory.
std::unique_ptr<MessageCarrier> direct_messages(const Communicator &comm, Stages stages,
                                                DeviceBuffers &buffers, device::Runtime &runtime);
/// Makes a carrier by NCCL.
std::unique_ptr<MessageCarrier> peer_messages(const Communicator &comm, Stages stages,
                                              const DeviceBuffers &buffers,
                                              device::Runtime &runtime);

} // namespace hybridfft::grid
