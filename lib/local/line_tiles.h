/// Divides the lines of a range of rows into tiles, for kernels that transform one line per vector
/// lane.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/threads.h"
#include "local/pass.h"
#include "local/simd_lines.h"
#include "local/tile.h"

namespace hybridfft::local {

/// The lines of a range of rows, divided into tiles of `lanes` lines. A row has `vec` lines. A tile
/// has lines of one row, or of several rows if one has fewer than `lanes`.
class LineTiles {
public:
  /// \param one_run true if all lines of the rows are adjacent at every point
  /// \param run maximum number of tiles of a row processed together
  LineTiles(RowRange rows, std::ptrdiff_t vec, bool one_run, std::ptrdiff_t lanes,
            std::ptrdiff_t run)
      : rows_(rows), vec_(vec), lanes_(lanes), run_(run) {
    if (one_run) {
      // Treat all rows as one long row.
      first_vec_ = rows.first * vec_;
      vec_ *= rows.last - rows.first;
      rows_ = {0, std::min<std::ptrdiff_t>(1, rows.last - rows.first)};
    }
    rows_each_ = vec_ >= lanes_ ? 1 : lanes_ / std::max<std::ptrdiff_t>(vec_, 1);
    across_ = (vec_ + lanes_ - 1) / lanes_;
  }
  std::ptrdiff_t count() const {
    return (rows_.last - rows_.first + rows_each_ - 1) / rows_each_ * across_;
  }
  /// Returns the number of tiles processed with tile i: the tiles of its row before `end`.
  std::ptrdiff_t batch(std::ptrdiff_t i, std::ptrdiff_t end) const {
    return std::min({run_, end - i, across_ - i % across_});
  }
  TileBox box(std::ptrdiff_t i, std::ptrdiff_t count) const {
    const std::ptrdiff_t row = rows_.first + i / across_ * rows_each_;
    const std::ptrdiff_t v = i % across_ * lanes_;
    return {row, std::min(rows_each_, rows_.last - row), first_vec_ + v,
            std::min(count * lanes_, vec_ - v)};
  }

private:
  RowRange rows_;
  std::ptrdiff_t vec_, lanes_, run_;
  std::ptrdiff_t first_vec_ = 0;
  std::ptrdiff_t rows_each_ = 1; ///< rows in a tile
  std::ptrdiff_t across_ = 1;    ///< tiles across a row
};

/// Transforms tiles on all threads. `make_worker(thread)` returns an object with
/// transform(TileBox). Each thread calls `finish()` at its end. The first thread polls.
template <class MakeWorker, class Finish>
void transform_tiles(const LineTiles &tiles, int threads, const Poll &poll,
                     const MakeWorker &make_worker, const Finish &finish) {
  parallel_ranges(tiles.count(), threads,
                  [&](std::ptrdiff_t first, std::ptrdiff_t last, int thread) {
                    auto worker = make_worker(thread);
                    for (std::ptrdiff_t i = first, count = 1; i < last; i += count) {
                      count = tiles.batch(i, last);
                      worker.transform(tiles.box(i, count));
                      if (thread == 0 && i % poll_interval < count) poll();
                    }
                    finish();
                  });
}

} // namespace hybridfft::local
