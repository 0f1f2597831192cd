#include "plan/rewrites/elide_self_copy.h"

#include <algorithm>

namespace hybridfft::plan {

namespace {

/// Takes a rank's block out of a list; nothing where it has none.
std::optional<exchange::RankBytes> taken(std::vector<exchange::RankBytes> &blocks, int rank) {
  const auto at = std::find_if(blocks.begin(), blocks.end(),
                               [rank](const exchange::RankBytes &b) { return b.rank == rank; });
  if (at == blocks.end()) return std::nullopt;
  const exchange::RankBytes block = *at;
  blocks.erase(at);
  return block;
}

} // namespace

void elide_self_copy(Step &writer, Step &exchange, int rank, std::ptrdiff_t distance,
                     std::size_t real_bytes) {
  const auto sent = taken(exchange.sent, rank);
  const auto received = taken(exchange.received, rank);
  if (!sent || !received) return;
  const auto element = static_cast<std::ptrdiff_t>(writer.to.real ? real_bytes : 2 * real_bytes);
  const std::ptrdiff_t base = sent->first / element;
  const std::ptrdiff_t there = (distance + received->first) / element;
  for (StoredBox &b : writer.to.boxes)
    if (b.base == base) b.base = there;
  for (Piece &p : writer.destination.pieces)
    if (p.base == base) p.base = there;
}

} // namespace hybridfft::plan
