/// Interface that performs the stages of an extension: packing, messages and filling of gaps. It
/// has one version for fields on the host and one for fields on a device.
#pragma once

#include <memory>
#include <span>

#include "grid/device_messages.h"
#include "solvers/lfb/extension_plan.h"

namespace hybridfft::lfb {

/// Calls of each stage: send() for each block, poll() any number of times, receive(), fill(). On
/// the host, planes of a field may be packed as they are written, and the gaps of the last stage
/// may be filled plane by plane: open(), pack() for each plane, send() ... receive(),
/// fill_planes().
template <class Real> class ExtensionCarrier {
public:
  using Fields = std::span<const Period<Real>>; ///< fields of this rank's blocks

  virtual ~ExtensionCarrier() = default;
  /// Packs the values of block n for stage s, and sends the messages that are complete. Blocks must
  /// be sent in ascending order.
  virtual void send(std::size_t s, std::size_t n, Fields fields) = 0;
  /// Lets MPI progress the messages of a stage.
  /// \return true if all have arrived
  virtual bool poll(std::size_t s) = 0;
  /// Waits until all messages have arrived.
  virtual void receive(std::size_t s) = 0;
  /// Fills the gaps along the stage's axis.
  virtual void fill(std::size_t s, Fields fields) = 0;

  /// Prepares all stages for pack().
  virtual void open() {}
  /// Packs the lines within a completely written plane of block n. Thread-safe for different
  /// planes.
  virtual void pack(std::size_t /*n*/, Index /*plane*/, Fields) {}
  /// True if fill_planes() may replace fill() in the last stage.
  virtual bool fills_planes() const { return false; }
  /// Fills the gaps of the last stage in the planes [first, end) of block n.
  virtual void fill_planes(std::size_t /*n*/, Index /*first*/, Index /*end*/, Fields) {}
};

/// Make a carrier for fields on the host or on a device. Collective; errors are thrown on all
/// ranks. The plan must outlive the carrier.
template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> host_carrier(const ExtensionPlan<Real> &plan, int threads);
template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> device_carrier(const ExtensionPlan<Real> &plan,
                                                       device::Runtime &runtime,
                                                       grid::Transport transport);

} // namespace hybridfft::lfb
