#include "layout/split_rows.h"

#include <algorithm>

namespace hybridfft {

namespace {

/// Appends the part of a matrix with columns first .. last-1, after moving it by `shift` columns.
void add_columns(SplitRows &to, const SplitRows &from, std::ptrdiff_t first, std::ptrdiff_t last,
                 std::ptrdiff_t shift) {
  for (Piece p : from.pieces) {
    const std::ptrdiff_t begin = std::max(first, p.first);
    const std::ptrdiff_t end = std::min(last, p.first + p.count);
    if (begin >= end) continue;
    p.base += (begin - p.first) * p.column_stride;
    p.first = begin + shift;
    p.count = end - begin;
    to.pieces.push_back(p);
  }
}

} // namespace

RetainedModes::RetainedModes(std::ptrdiff_t n, std::ptrdiff_t modes, bool halved)
    : bins_(halved ? n / 2 + 1 : n), stored_(halved ? modes / 2 + 1 : modes),
      low_(modes == n ? stored_ : (modes + 1) / 2),
      high_(modes == n || halved ? 0 : (modes - 1) / 2) {}

SplitRows RetainedModes::spread(const SplitRows &m) const {
  SplitRows bins{m.rows, bins_, m.vec, {}};
  add_columns(bins, m, 0, low_, 0);
  add_columns(bins, m, stored_ - high_, stored_, bins_ - stored_);
  return bins;
}

SplitRows RetainedModes::hole(const SplitRows &m) const {
  SplitRows none{m.rows, m.columns, m.vec, {}};
  add_columns(none, m, low_, stored_ - high_, 0);
  return none;
}

SplitRows within_vec(SplitRows m, std::ptrdiff_t first, std::ptrdiff_t count) {
  m.vec = count;
  for (Piece &p : m.pieces)
    p.base += first;
  return m;
}

} // namespace hybridfft
