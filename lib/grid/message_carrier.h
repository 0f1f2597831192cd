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
  DeviceBuffers(const DeviceBuffers &) = delete;
  DeviceBuffers &operator=(const DeviceBuffers &) = delete;

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

/// Carries messages between the buffers of devices. In all of this an exchange comes after what the
/// compute stream had been given when start() was called.
class MessageCarrier {
public:
  virtual ~MessageCarrier() = default;
  /// Gives the device what it is to do for stage s. Waits for nothing that may take long.
  virtual void start(std::size_t s) = 0;
  /// Sends what the device has ready. Whether all messages of the stage are on their way.
  virtual bool send_ready(std::size_t s) = 0;
  /// After that: whether all have been received and sent.
  virtual bool poll(std::size_t s) = 0;
  /// Waits for it, and lets the compute stream wait for what the device has still to do.
  virtual void finish(std::size_t s) = 0;
};

/// Constructors of all are collective and throw on all ranks; `buffers` and `runtime` outlive them.
std::unique_ptr<MessageCarrier> staged_messages(const Communicator &comm, Stages stages,
                                                const DeviceBuffers &buffers,
                                                device::Runtime &runtime);
/// Makes a carrier by an MPI that reads and writes the device's memory.
std::unique_ptr<MessageCarrier> direct_messages(const Communicator &comm, Stages stages,
                                                const DeviceBuffers &buffers,
                                                device::Runtime &runtime);
/// Makes a carrier by NCCL.
std::unique_ptr<MessageCarrier> peer_messages(const Communicator &comm, Stages stages,
                                              const DeviceBuffers &buffers,
                                              device::Runtime &runtime);

} // namespace hybridfft::grid
