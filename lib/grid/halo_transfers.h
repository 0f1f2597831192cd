/// The transfers of a halo exchange: boxes of ghosts, and the blocks owning their points.
#pragma once

#include <vector>

#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid {

/// Points of a field in the block `from`, owned or received before, to be copied to ghosts of the
/// block `to`.
struct HaloTransfer {
  int field = 0;
  int from = 0, to = 0;
  Box source; ///< in indices of `from`
  Box target; ///< in indices of `to`: the same, or shifted by periods
};

/// Transfers that may run concurrently.
using TransferStage = std::vector<HaloTransfer>;

/// The transfers from and to this rank's blocks that fill `widths[field]` ghosts of each field, in
/// one stage, or in one per axis. Both ranks of each pair have the same order.
std::vector<TransferStage> halo_transfers(const Cartesian &cartesian,
                                          const std::vector<Widths> &widths, Schedule schedule);

} // namespace hybridfft::grid
