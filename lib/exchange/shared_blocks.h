/// Redistribution of blocks through the shared memory of a node. A pass writes the blocks into the
/// segment of its rank, and the next pass of each rank reads its blocks from the segments of all
/// ranks.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/block_messages.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// Blocks sent by a rank in one exchange.
struct SharedBlocksSide {
  std::size_t bytes = 0;       ///< size of the send buffer
  std::vector<RankBytes> sent; ///< blocks in the send buffer, one for each rank
};

/// An exchange, and the positions of the received blocks.
struct SharedBlocks {
  std::shared_ptr<Exchange> exchange;
  /// For each rank, the distance in bytes from the exchange's window() to the block that this rank
  /// receives from it.
  std::vector<std::ptrdiff_t> distances;
};

/// Makes the exchanges of one plan in the order of execution, the same number on every rank. They
/// use the two parts of a segment alternately: data of an exchange have been read before the next
/// exchange but one writes. Returns nullptr on all ranks if the ranks are on several nodes or
/// memory is short. Collective. Throws Failure on all ranks alike.
std::unique_ptr<std::vector<SharedBlocks>>
make_shared_blocks(const std::shared_ptr<Communicator> &comm,
                   const std::vector<SharedBlocksSide> &exchanges, Pages pages);

} // namespace hybridfft::exchange
