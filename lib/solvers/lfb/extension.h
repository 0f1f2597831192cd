/// Extends the blocks of a grid to periodic lines. Along each axis in turn, neighbours exchange the
/// values required by the bases, and each block fills its gap. Values sent along later axes include
/// the corners, so six messages reach all 26 neighbours.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "grid/device_messages.h"
#include "hybridfft/grid/cartesian.hpp"
#include "solvers/lfb/extension_plan.h"

namespace hybridfft::lfb {

/// Extension of fields, planned once and executed many times.
///
/// On a device all fields are in its memory, and the compute stream reads and writes them. start()
/// must follow the kernels that write the fields, and finish() must precede the kernels that read
/// the gaps. The host waits for messages only.
template <class Real> class Extension {
public:
  /// Plans the extension of fields on the host. The grid must be periodic along every axis with a
  /// basis. Collective over the grid's communicator, in the same order on all ranks; start(),
  /// advance() and finish() are collective, too.
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks for a block with fewer points than its basis
  /// needs; the message has both numbers of points
  Extension(const grid::Cartesian &cartesian, const Bases &bases, int threads);
  /// Plans the extension of fields on a device.
  /// \param transport transport between ranks, from choose_transport()
  Extension(const grid::Cartesian &cartesian, const Bases &bases, device::Runtime &runtime,
            grid::Transport transport);
  ~Extension();
  Extension(Extension &&) noexcept;
  Extension &operator=(Extension &&) noexcept;

  /// Starts the extension of one field per block of this rank. Sends the values along the first
  /// distributed axis. The sent points must stay unchanged until finish() returns. Other points may
  /// be written before the stage that reads them.
  void start(std::span<const Period<Real>> fields);
  /// Starts the extension of one block. Blocks must be started in ascending order. On a device the
  /// messages of a block are in flight while fields of the next block are computed.
  void start(std::size_t block, const Period<Real> &field);
  /// Begins an extension of fields that are still being written. The caller then calls pack() for
  /// each plane, and start(). Host only.
  void open(std::span<const Period<Real>> fields);
  /// Packs a plane of a block after all of its points were written. Thread-safe for different
  /// planes.
  void pack(std::size_t block, Index plane);
  /// Waits for the messages along the current axis, fills the gaps along this axis, and sends the
  /// values along the next axis. Does nothing after the last axis.
  void advance();
  /// Lets MPI progress messages in flight.
  void poll();
  /// Completes the extension.
  void finish();
  /// Completes the extension except for gaps along the last axis, which the caller fills by fill().
  /// The gaps of a plane can then be filled while the plane is in cache.
  /// \return true if gaps remain
  bool finish_messages();
  /// Fills the gaps left by finish_messages() in the planes [first, end) of a block.
  void fill(std::size_t block, Index first, Index end);

  /// Seconds spent by this rank in all extensions so far.
  struct Times {
    double pack = 0;     ///< writing messages, and filling gaps
    double wait = 0;     ///< waiting for messages in finish() and advance()
    double exchange = 0; ///< from the start of messages until their arrival is detected
  };
  const Times &times() const;

  /// Phases reported to an observer; the members of Times.
  enum class ExtensionPhase { pack, wait, exchange };
  using Observer = std::function<void(ExtensionPhase, std::chrono::steady_clock::time_point begin,
                                      std::chrono::steady_clock::time_point end)>;
  /// Sets an observer, which is called at the end of each phase. It must not throw.
  void observe(Observer observer);

  /// Bytes sent by this rank to others in one extension.
  std::ptrdiff_t bytes_sent() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Extension<float>;
extern template class Extension<double>;

} // namespace hybridfft::lfb
