#include "exchange/block_order.h"

namespace hybridfft::exchange {

SplitRows by_destination(const Transposition &t, int rank) {
  const std::ptrdiff_t rows = t.rows.count(rank);
  SplitRows m{rows, t.columns.n(), t.vec, {}};
  for (int q = 0; q < t.columns.working_parts(); ++q) {
    const std::ptrdiff_t first = t.columns.start(q);
    const std::ptrdiff_t count = t.columns.count(q);
    m.pieces.push_back({first, count, first * rows * t.vec, count * t.vec, t.vec});
  }
  return m;
}

SplitRows by_source(const Transposition &t, int rank) {
  const std::ptrdiff_t mine = t.columns.count(rank);
  SplitRows m{mine, t.rows.n(), t.vec, {}};
  for (int q = 0; q < t.rows.working_parts(); ++q) {
    const std::ptrdiff_t first = t.rows.start(q);
    m.pieces.push_back({first, t.rows.count(q), first * mine * t.vec, t.vec, mine * t.vec});
  }
  return m;
}

std::vector<std::ptrdiff_t> send_counts(const Transposition &t, int rank) {
  std::vector<std::ptrdiff_t> counts;
  for (int q = 0; q < t.columns.parts(); ++q)
    counts.push_back(t.rows.count(rank) * t.columns.count(q));
  return counts;
}

std::vector<std::ptrdiff_t> receive_counts(const Transposition &t, int rank) {
  std::vector<std::ptrdiff_t> counts;
  for (int q = 0; q < t.rows.parts(); ++q)
    counts.push_back(t.rows.count(q) * t.columns.count(rank));
  return counts;
}

} // namespace hybridfft::exchange
