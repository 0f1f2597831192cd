/// The plan of a halo exchange, for arrays of the host or of devices: transfers in stages, their
/// messages, and copies between arrays and messages.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "grid/halo_transfers.h"
#include "grid/neighbour_messages.h"
#include "grid/row_copies.h"

namespace hybridfft::grid::detail {

/// Transfers and messages of an exchange. Both ranks of each pair have the same plan.
class HaloPlan {
public:
  /// See HaloExchange for the arguments. Collective; throws on all ranks.
  HaloPlan(const Cartesian &cartesian, std::span<const HaloArray> arrays, std::size_t widths_given,
           std::size_t value_bytes, Schedule schedule);

  /// The messages of each stage between this rank and others.
  std::span<const std::vector<Traffic>> traffic() const { return traffic_; }
  std::size_t stages() const { return stages_.size(); }
  /// Bytes and messages sent by this rank in an exchange.
  Index bytes_sent() const { return bytes_sent_; }
  Index messages_sent() const { return messages_sent_; }

  /// The kind of a copy: array to message, message to array, or between arrays of this rank.
  enum class Copy { pack, unpack, local };
  /// Address of message n of the stage; n is an index of traffic().
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

} // namespace hybridfft::grid::detail
