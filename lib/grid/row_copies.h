/// Copies many boxes of rows at once, on many threads or by a kernel of devices.
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

/// Copies many boxes at once; index t counts the words of all boxes. Rows and distances are whole
/// words.
template <class Word> struct CopyList {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index t) const {
    int low = 0, high = count; // invariant: word t belongs to one of the copies low .. high - 1
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (first[middle] <= t ? low : high) = middle;
    }
    const RowCopy &copy = copies[low];
    // Indices of 32 bits: a copy may have up to 2^32 - 1 words, at least 4 GiB. Divisions of 32
    // bits take a fifth of the time of 64-bit ones.
    const auto in_row = static_cast<unsigned>(copy.row_bytes / Index(sizeof(Word)));
    const auto within = static_cast<unsigned>(t - first[low]), n1 = static_cast<unsigned>(copy.n1);
    const unsigned row = within / in_row, i = row / n1, j = row - i * n1;
    const Index k = Index(within - row * in_row) * Index(sizeof(Word));
    *reinterpret_cast<Word *>(copy.to.first + i * copy.to.stride0 + j * copy.to.stride1 + k) =
        *reinterpret_cast<const Word *>(copy.from.first + i * copy.from.stride0 +
                                        j * copy.from.stride1 + k);
  }

  const RowCopy *copies;
  const Index *first; ///< number of the first word of each copy
  int count;
};

} // namespace hybridfft::grid
