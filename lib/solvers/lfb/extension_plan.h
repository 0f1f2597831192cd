/// Plans the messages between the blocks of a grid in an extension. The plan holds no buffers; it
/// serves fields on the host and on a device.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grid/device_messages.h"
#include "grid/neighbour_messages.h"
#include "hybridfft/grid/cartesian.hpp"
#include "solvers/lfb/basis.h"
#include "solvers/lfb/lines.h"

namespace hybridfft::lfb {

/// Basis along a distributed axis, and the period of each block along the axis.
struct AxisBasis {
  Basis basis;
  std::vector<std::ptrdiff_t> periods;
};
/// Basis of each axis; none if the axis is not distributed, so that each block is its own period.
using Bases = std::array<std::optional<AxisBasis>, 3>;

/// Values for both sides, indexed by index(side).
template <class T> using BySide = std::array<T, 2>;
inline std::size_t index(AxisSide side) { return side == AxisSide::below ? 0 : 1; }

/// Stages of an extension, one per distributed axis, and the messages of each stage.
template <class Real> class ExtensionPlan {
public:
  /// Location of the values packed for one side of a block, or received from it.
  struct MessageSlot {
    /// Index of the message among the traffic of its part; none for values exchanged within this
    /// rank.
    std::optional<std::size_t> message;
    /// Offset of the first value in the message, or in the memory for values exchanged within this
    /// rank.
    Index first = 0;
    std::size_t part = 0; ///< part of the stage that contains the message
  };
  /// Stage of an extension: all work along one axis.
  struct ExtensionStage {
    int axis = 0;
    const Basis *basis = nullptr;
    std::vector<Index> gaps; ///< gaps of this rank's blocks
    /// Traffic of each part. Parts are sent one after another. There is one part, or as many as the
    /// maximum number of blocks on a rank.
    std::vector<std::vector<grid::Traffic>> traffic;
    std::size_t first_part = 0;                        ///< number of parts in earlier stages
    std::vector<BySide<MessageSlot>> packed, received; ///< slots of this rank's blocks
    Index local_values = 0; ///< number of values exchanged within this rank
  };

  /// Granularity of messages to a rank: one for all blocks, or one per block.
  enum class MessageUnit { of_rank, of_block };
  /// \throws Error(HFFT_ERROR_ARGUMENT) for a block with fewer points than its basis needs
  ExtensionPlan(const grid::Cartesian &cartesian, const Bases &bases, MessageUnit messages);
  ExtensionPlan(const ExtensionPlan &) = delete; // stages point to the bases
  ExtensionPlan &operator=(const ExtensionPlan &) = delete;

  const std::vector<ExtensionStage> &stages() const { return stages_; }
  const grid::Communicator &communicator() const { return cartesian_.communicator(); }
  /// points() is the number of points of this rank's block number n along an axis; period() is its
  /// period.
  Index points(std::size_t n, int axis) const {
    return cartesian_.box(cartesian_.mine()[n]).extent(axis);
  }
  Index period(std::size_t n, int axis) const { return period(cartesian_.mine()[n], axis); }
  /// Returns the traffic of all parts of all stages, in the order of execution.
  std::vector<std::vector<grid::Traffic>> traffic() const;
  /// Bytes sent by this rank to others in one extension.
  Index bytes_sent() const;
  /// Bytes of all buffers of one extension: messages sent and received by this rank, and values
  /// exchanged within it.
  Index bytes_of_buffers() const;

  /// Return the operands of packing and filling for this rank's block number n in a stage.
  /// \param at function that returns the address of a MessageSlot of the stage
  template <class At>
  Packing<Real> packing(const ExtensionStage &stage, std::size_t n, AxisSide side,
                        const Period<Real> &field, const At &at) const {
    return {lines(stage.axis, n, field), side, stage.basis->numbers(),
            at(stage.packed[n][index(side)])};
  }
  template <class At>
  Filling<Real> filling(const ExtensionStage &stage, std::size_t n, const Period<Real> &field,
                        const At &at) const {
    return {lines(stage.axis, n, field), stage.basis->own(), stage.basis->numbers(),
            at(stage.received[n][index(AxisSide::below)]),
            at(stage.received[n][index(AxisSide::above)])};
  }

private:
  void check(int axis) const;
  void add_stage(int axis);
  void place_remote(ExtensionStage &stage) const;
  void place_local(ExtensionStage &stage) const;
  Lines<Real> lines(int axis, std::size_t n, const Period<Real> &field) const;
  Index period(int block, int axis) const;
  int neighbour_of(int block, int axis, AxisSide side) const;
  /// Number of values sent by a block to a side.
  Index values(const ExtensionStage &stage, std::size_t n) const {
    return lines(stage.axis, n, {}).count() * stage.basis->numbers();
  }

  /// Returns the part with the messages of the block with local number n.
  std::size_t part_of(std::size_t n) const { return parts_ > 1 ? n : 0; }

  grid::Cartesian cartesian_;
  Bases bases_;
  std::size_t parts_ = 1; ///< parts per stage
  std::vector<ExtensionStage> stages_;
};

extern template class ExtensionPlan<float>;
extern template class ExtensionPlan<double>;

// Interface that performs the stages of an extension: packing, messages and filling of gaps. It
// has one version for fields on the host and one for fields on a device.

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
