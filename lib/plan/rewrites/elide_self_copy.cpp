#include "plan/rewrites/elide_self_copy.h"

#include <algorithm>

namespace hybridfft::plan {

namespace {

auto block_of(std::vector<exchange::RankBytes> &blocks, int rank) {
  return std::find_if(blocks.begin(), blocks.end(),
                      [rank](const exchange::RankBytes &b) { return b.rank == rank; });
}

} // namespace

void elide_self_copy(Step &writer, Step &exchange, int rank, std::ptrdiff_t distance,
                     std::size_t real_bytes) {
  const auto element = static_cast<std::ptrdiff_t>(element_bytes(writer.to, real_bytes));
  const auto sent = block_of(exchange.sent, rank);
  const auto received = block_of(exchange.received, rank);
  if (sent == exchange.sent.end() || received == exchange.received.end()) return;
  const std::ptrdiff_t there = distance + received->first;
  // Matrices count complex numbers, also at the real side of r2c and c2r.
  const auto number = writer.reals_of_element() * static_cast<std::ptrdiff_t>(real_bytes);
  if (there % number != 0 && !writer.destination.pieces.empty()) return;
  for (StoredBox &b : writer.to.boxes)
    if (b.base * element == sent->first) b.base = there / element;
  for (Piece &p : writer.destination.pieces)
    if (p.base * number == sent->first) p.base = there / number;
  exchange.sent.erase(sent);
  exchange.received.erase(received);
}

} // namespace hybridfft::plan
