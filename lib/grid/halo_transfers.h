/// The transfers of a halo exchange: boxes of ghosts, and the blocks that own their points.
#pragma once

#include <vector>

#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid {

/// Points of a field that the block `from` owns, or has received before, and that are ghosts of the
/// block `to`.
struct Transfer {
  int field = 0;
  int from = 0, to = 0;
  Box source; ///< in the indices of `from`
  Box target; ///< in the indices of `to`: the same, or moved by periods
};

/// Transfers that may go on at the same time.
using TransferStage = std::vector<Transfer>;

/// The transfers from and to this rank's blocks that fill `widths[field]` ghosts of each field: in
/// one stage, or in one for each axis. In the same order on both sides of each pair of ranks.
std::vector<TransferStage> halo_transfers(const Cartesian &cartesian,
                                          const std::vector<Widths> &widths, Schedule schedule);

} // namespace hybridfft::grid
