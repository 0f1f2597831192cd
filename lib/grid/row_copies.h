/// Copies many boxes of rows at once on many threads.
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

/// Copies that may run concurrently, because none reads the target of another. Threads share the
/// work evenly, whatever the sizes of the copies are. The cost of a copy counts its rows and its
/// bytes.
class RowCopies {
public:
  void add(const RowCopy &copy);
  /// Copies all rows, on at most `threads` threads, or fewer for little work.
  void run(int threads) const;

private:
  void run_part(Index first, Index last) const;

  std::vector<RowCopy> copies_;
  std::vector<Index> first_cost_{
      0}; ///< for each copy the total cost of the copies before it; then the cost of all
};

} // namespace hybridfft::grid
