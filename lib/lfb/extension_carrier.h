/// Carries out the stages of an extension: on the host, or on a device.
#pragma once

#include <memory>
#include <span>

#include "grid/device_messages.h"
#include "lfb/extension_plan.h"

namespace hybridfft::lfb {

/// For each stage: send() for each block, poll() as often as wanted, receive(), fill().
template <class Real> class ExtensionCarrier {
public:
  using Fields = std::span<const Period<Real>>; ///< fields of this rank's blocks

  virtual ~ExtensionCarrier() = default;
  /// Packs the values of block n that stage s needs, and sends messages that are complete: blocks
  /// come in rising order.
  virtual void send(std::size_t s, std::size_t n, Fields fields) = 0;
  /// Lets the messages progress. True if all have arrived.
  virtual bool poll(std::size_t s) = 0;
  /// Waits until all messages have arrived.
  virtual void receive(std::size_t s) = 0;
  /// Fills the gaps along the stage's axis.
  virtual void fill(std::size_t s, Fields fields) = 0;
};

/// Both are collective and throw on all ranks; the plan outlives the carriers.
template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> host_carrier(const ExtensionPlan<Real> &plan, int threads);
template <class Real>
std::unique_ptr<ExtensionCarrier<Real>> device_carrier(const ExtensionPlan<Real> &plan,
                                                       device::Runtime &runtime,
                                                       grid::Transport transport);

} // namespace hybridfft::lfb
