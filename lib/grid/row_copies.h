/// Copies of many boxes of rows in one go, by many threads or by one device kernel.
#pragma once

#include <cstddef>
#include <vector>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::grid {

/// Address and strides of a box of rows in memory; strides in bytes.
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

/// Independent copies: none reads the target of another. Threads share the work evenly even if the
/// copies differ in size. The cost of a copy grows with its rows and its bytes.
class RowCopies {
public:
  void add(const RowCopy &copy);
  /// Runs all copies on at most `threads` threads; little work uses fewer.
  void run(int threads) const;

private:
  void run_part(Index first, Index last) const;

  std::vector<RowCopy> copies_;
  std::vector<Index> first_cost_{
      0}; ///< for each copy the total cost of the copies before it; then the cost of all
};

/// Device kernel that runs many copies: index t counts the words of all boxes. Row lengths and
/// strides must be multiples of the word size.
template <class Word> struct CopyList {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index t) const {
    int low = 0, high = count; // invariant: word t belongs to one of the copies low .. high - 1
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (first[middle] <= t ? low : high) = middle;
    }
    const RowCopy &copy = copies[low];
    // 32-bit divisions take a fifth of the time of 64-bit ones. A copy may therefore have up to
    // 2^32 - 1 words, at least 4 GiB.
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
