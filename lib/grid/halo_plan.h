/// Plan of a halo exchange, shared by the host and device implementations: the transfers between
/// blocks in stages, their messages, and the copies between arrays and messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "grid/neighbour_messages.h"
#include "grid/row_copies.h"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid {

/// One box of a field, copied from block `from` to ghosts of block `to`. Its source is inner
/// points, or ghosts filled by an earlier stage.
struct HaloTransfer {
  int field = 0;
  int from = 0, to = 0;
  Box source; ///< in indices of `from`
  Box target; ///< in indices of `to`: equal to `source`, or shifted by whole periods
};

/// Transfers that may run concurrently.
using TransferStage = std::vector<HaloTransfer>;

/// Returns the transfers from and to this rank's blocks that fill `widths[field]` ghosts of each
/// field: in one stage, or in one stage per axis. Both ranks of a pair list their transfers in the
/// same order.
std::vector<TransferStage> halo_transfers(const Cartesian &cartesian,
                                          const std::vector<Widths> &widths, Schedule schedule);

} // namespace hybridfft::grid

namespace hybridfft::grid::detail {

/// Transfers and messages of an exchange. The plans of both ranks of a pair match.
class HaloPlan {
public:
  /// See HaloExchange for the arguments. Collective; throws on all ranks.
  HaloPlan(const Cartesian &cartesian, std::span<const HaloArray> arrays, std::size_t widths_given,
           std::size_t value_bytes, Schedule schedule);

  /// The messages of each stage between this rank and other ranks.
  std::span<const std::vector<Traffic>> traffic() const { return traffic_; }
  std::size_t stages() const { return stages_.size(); }
  /// Bytes and number of messages sent by this rank in one exchange.
  Index bytes_sent() const { return bytes_sent_; }
  Index messages_sent() const { return messages_sent_; }

  /// Kind of a copy: array to message, message to array, or between arrays of this rank.
  enum class Copy { pack, unpack, local };
  /// Function that returns the address of message n of a stage; n is an index of traffic().
  using MessageAt = std::function<std::byte *(std::size_t n)>;
  /// Calls add(kind, copy) for each copy of this rank in a stage.
  void for_copies(std::size_t stage, const MessageAt &outgoing, const MessageAt &incoming,
                  const std::function<void(Copy, const RowCopy &)> &add) const;

private:
  const HaloArray &array_of(const HaloTransfer &transfer, int block) const;

  Cartesian cartesian_;
  std::vector<HaloArray> arrays_;
  Index value_bytes_;
  std::vector<TransferStage> stages_;
  std::vector<std::vector<Traffic>> traffic_;
  Index bytes_sent_ = 0, messages_sent_ = 0;
};

/// Interface of the host and device implementations. See Halo for start(), test() and finish().
struct [[gnu::visibility("hidden")]] HaloExchange::Impl {
  explicit Impl(const HaloPlan &plan)
      : bytes_sent(plan.bytes_sent()), messages_sent(plan.messages_sent()) {}
  virtual ~Impl() = default;
  virtual void start() = 0;
  /// Advances messages in flight. The host implementation also starts later stages.
  /// \return true if all messages have arrived; on devices, true if those of the first stage have
  virtual bool test() = 0;
  virtual void finish() = 0;
  /// Bytes transferred through memory shared within the node.
  virtual Index bytes_shared() const = 0;

  Index bytes_sent, messages_sent;
  HaloTimes times;
};

/// Adds the duration of its lifetime to a sum of seconds.
class Stopwatch {
public:
  explicit Stopwatch(double &seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch &) = delete;
  Stopwatch &operator=(const Stopwatch &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  double &seconds_;
  Clock::time_point begin_ = Clock::now();
};

} // namespace hybridfft::grid::detail
