/// Performs the stages of an extension, on the host or on a device.
#pragma once

#include <memory>
#include <span>

#include "grid/device_messages.h"
#include "solvers/lfb/extension_plan.h"

namespace hybridfft::lfb {

/// The calls of each stage: send() for each block, poll() any number of times, receive(), fill().
/// On the host, planes of a field may be packed as they are written, and the gaps of the last stage
/// filled plane by plane: open(), pack() for each plane, send() ... receive(), fill_planes().
template <class Real> class ExtensionCarrier {
public:
  using Fields = std::span<const Period<Real>>; ///< fields of this rank's blocks

  virtual ~ExtensionCarrier() = default;
  /// Packs the values of block n for stage s, and sends complete messages. Blocks come in ascending
  /// order.
  virtual void send(std::size_t s, std::size_t n, Fields fields) = 0;
  /// Advances messages.
  /// \return true if all have arrived
  virtual bool poll(std::size_t s) = 0;
  /// Waits until all messages have arrived.
  virtual void receive(std::size_t s) = 0;
  /// Fills the gaps along the stage's axis.
  virtual void fill(std::size_t s, Fields fields) = 0;

  /// Prepares all stages for pack().
  virtual void open() {}
  /// Packs the lines within a complete plane of block n. Other threads may pack other planes.
  virtual void pack(std::size_t /*n*/, Index /*plane*/, Fields) {}
  /// True if fill_planes() may replace fill() in the last stage.
  virtual bool fills_planes() const { return false; }
  /// Fills the gaps of the last stage in the planes [first, end) of block n.
  virtual void fill_planes(std::size_t /*n*/, Index /*first*/, Index /*end*/, Fields) {}
};

/// Create the host's and the device's version. Both are collective and throw on all ranks. The plan
/// must outlive the carriers.
template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> host_carrier(const ExtensionPlan<Real> &plan, int threads);
template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> device_carrier(const ExtensionPlan<Real> &plan,
                                                       device::Runtime &runtime,
                                                       grid::Transport transport);

} // namespace hybridfft::lfb
