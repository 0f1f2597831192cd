/// Extends the blocks of a grid to periodic lines. Along each axis in turn it exchanges the numbers
/// of the bases and fills the gaps. The values sent along later axes include the corners, so six
/// messages serve all neighbours.
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

/// Extends fields, repeatedly.
///
/// On a device all fields are in its memory, and the compute stream reads and writes them. start()
/// must follow the kernels that write the fields, and finish() must precede the kernels that read
/// the gaps. The host waits for messages only.
template <class Real> class Extension {
public:
  /// The grid must be periodic along every axis with a basis. Collective over the grid's
  /// communicator, in the same order on all ranks; start(), advance() and finish() are collective,
  /// too.
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks, with both numbers, for a block with fewer
  /// points than its basis needs
  Extension(const grid::Cartesian &cartesian, const Bases &bases, int threads);
  /// Extends fields of a device.
  /// \param transport transport between ranks, from choose_transport()
  Extension(const grid::Cartesian &cartesian, const Bases &bases, device::Runtime &runtime,
            grid::Transport transport);
  ~Extension();
  Extension(Extension &&) noexcept;
  Extension &operator=(Extension &&) noexcept;

  /// Starts the extension of one field per block of this rank. Sends the numbers along the first
  /// distributed axis; points outside of them may be written afterwards. The field must otherwise
  /// stay unchanged until finish() returns.
  void start(std::span<const Period<Real>> fields);
  /// Starts one block, in ascending order of blocks. On a device its messages travel while fields
  /// of the next block are computed.
  void start(std::size_t block, const Period<Real> &field);
  /// Begins an extension of fields that are still being written. pack() follows for each plane,
  /// then start(). Host only.
  void open(std::span<const Period<Real>> fields);
  /// Packs a plane of a block whose points are complete. Other threads may pack other planes.
  void pack(std::size_t block, Index plane);
  /// Waits for the messages of an axis, fills its gap, and sends the numbers for the next axis.
  /// Does nothing after the last axis.
  void advance();
  /// Advances messages in flight.
  void poll();
  /// Completes the extension.
  void finish();
  /// Completes the extension but for gaps that the caller fills by fill().
  /// \return true if there are such gaps
  bool finish_messages();
  /// Fills the gaps left by finish_messages() in the planes [first, end) of a block.
  void fill(std::size_t block, Index first, Index end);

  /// Seconds spent by this rank in all extensions so far.
  struct Times {
    double pack = 0;     ///< writing messages, and filling gaps
    double wait = 0;     ///< waiting for messages in finish() and advance()
    double exchange = 0; ///< from the start of messages until all are seen to arrive
  };
  const Times &times() const;

  /// Phases reported to an observer.
  enum class ExtensionPhase { pack, wait, exchange };
  using Observer = std::function<void(ExtensionPhase, std::chrono::steady_clock::time_point begin,
                                      std::chrono::steady_clock::time_point end)>;
  /// Sets an observer, called after each phase in start(), advance(), poll() and finish(). It must
  /// not throw.
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
