/// Blocks handed to other ranks of a node through memory that all of them map: a pass writes them
/// into the segment of its rank, and the pass behind the exchange reads them there.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "exchange/block_messages.h"
#include "exchange/exchange.h"

namespace hybridfft::exchange {

/// The blocks that a rank sends in one exchange.
struct SharedBlocksSide {
  std::size_t bytes = 0;       ///< size of its send buffer
  std::vector<RankBytes> sent; ///< offset of each rank's block in that buffer
};

/// An exchange, and the places at which its receiver finds the blocks.
struct SharedBlocks {
  std::shared_ptr<Exchange> exchange;
  /// Bytes from the exchange's window() to the block of each rank that has one for this rank; as
  /// many as ranks.
  std::vector<std::ptrdiff_t> distances;
};

/// The exchanges of one plan, in the order in which they are executed; as many on every rank. They
/// use two parts of the segment in turns: the data of one are read before the next but one writes.
/// nullptr, on all ranks, where the ranks are on several nodes or there is no memory for them.
/// Collective. Throws Failure on all ranks alike.
std::unique_ptr<std::vector<SharedBlocks>>
make_shared_blocks(const std::shared_ptr<Communicator> &comm,
                   const std::vector<SharedBlocksSide> &exchanges, Pages pages);

} // namespace hybridfft::exchange
