/// Makes periodic lines of the blocks of a grid: exchanges the numbers of the bases along each axis
/// in turn, and fills the gaps. Corners come along, so that six messages do for all neighbours.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "grid/device_messages.h"
#include "hybridfft/grid/cartesian.hpp"
#include "lfb/extension_plan.h"

namespace hybridfft::lfb {

/// The extension of one field, as often as wanted.
///
/// On a device all fields are memory of the device, and they are read and written by work of its
/// compute stream: start() comes after the kernels that write the fields, finish() before those
/// that read the gaps. The host waits for nothing but messages.
template <class Real> class Extension {
public:
  /// The grid is periodic along every axis that has a basis. Collective over the grid's
  /// communicator, in the same order on all ranks; so are start(), advance() and finish(). Throws
  /// Error(HFFT_ERROR_ARGUMENT) on all ranks for a block that is thinner than its basis needs, with
  /// both numbers.
  Extension(const grid::Cartesian &cartesian, const Bases &bases, int threads);
  /// Extends fields of a device.
  /// \param transport between ranks, as choose_transport() has found it
  Extension(const grid::Cartesian &cartesian, const Bases &bases, device::Runtime &runtime,
            grid::Transport transport);
  ~Extension();
  Extension(Extension &&) noexcept;
  Extension &operator=(Extension &&) noexcept;

  /// One field of each of this rank's blocks. Sends the numbers for the first axis that is cut; the
  /// other points may be written after that. The field stays where and as it is until finish()
  /// returns.
  void start(std::span<const Period<Real>> fields);
  /// The same block by block, in rising order: on a device the messages of a block travel while
  /// fields of the next one are computed.
  void start(std::size_t block, const Period<Real> &field);
  /// Waits for the messages of an axis, fills its gap and sends the numbers for the next one;
  /// nothing where all is done.
  void advance();
  /// Lets the messages under way move on.
  void poll();
  /// Does the rest of the extension.
  void finish();

  /// Seconds that this rank has spent in all extensions so far.
  struct Times {
    double pack = 0;     ///< writing messages, and filling gaps from those received
    double wait = 0;     ///< in finish() and advance(), for messages
    double exchange = 0; ///< from when messages have been written till all have been seen to arrive
  };
  const Times &times() const;

  /// Phases that an observer sees.
  enum class Phase { pack, wait, exchange };
  using Observer = std::function<void(Phase, std::chrono::steady_clock::time_point begin,
                                      std::chrono::steady_clock::time_point end)>;
  /// Sets an observer that is called after each phase, in start(), advance(), poll() and finish().
  /// Must not throw.
  void observe(Observer observer);

  /// Bytes that this rank sends to others in one extension.
  std::ptrdiff_t bytes_sent() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Extension<float>;
extern template class Extension<double>;

} // namespace hybridfft::lfb
