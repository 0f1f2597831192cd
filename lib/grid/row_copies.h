/// Copies of boxes of rows, many at once on many threads.
#pragma once

#include <cstddef>
#include <vector>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Rows of a box in memory; distances in bytes.
struct RowsInMemory {
  std::byte *first = nullptr;
  Index stride0 = 0, stride1 = 0;
};

/// Copies n0 x n1 rows of row_bytes bytes each.
struct RowCopy {
  RowsInMemory from, to;
  Index n0 = 0, n1 = 0;
  Index row_bytes = 0;

  Index bytes() const { return n0 * n1 * row_bytes; }
};

/// Copies that may go on concurrently: none reads what another one writes. Threads share all rows
/// evenly, however they are spread over the copies.
class RowCopies {
public:
  void add(const RowCopy &copy);
  void run(int threads) const;

private:
  void run_rows(Index first, Index last) const;

  std::vector<RowCopy> copies_;
  std::vector<Index> first_row_{0}; ///< of each copy, and the end of the last one
};

} // namespace hybridfft::grid
