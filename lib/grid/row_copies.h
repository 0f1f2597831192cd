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

/// Copies that may go on concurrently: none reads the target of another one. Threads share the work
/// evenly, however it is spread over the copies: rows of one value count, and so do their bytes.
class RowCopies {
public:
  void add(const RowCopy &copy);
  /// Copies all rows, on as many threads as there is work for, at most `threads`.
  void run(int threads) const;

private:
  void run_part(Index first, Index last) const;

  std::vector<RowCopy> copies_;
  std::vector<Index> first_cost_{0}; ///< before each copy, and of all
};

} // namespace hybridfft::grid
