/// Copies of boxes of rows as work on their words, for kernels of devices.
#pragma once

#include "grid/row_copies.h"

namespace hybridfft::grid {

/// Copies many boxes at once: word t of all of them, one after the other. Rows and distances are
/// whole words.
template <class Word> struct CopyList {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index t) const {
    int low = 0, high = count; // copies[low] has the word
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (first[middle] <= t ? low : high) = middle;
    }
    const RowCopy &copy = copies[low];
    const Index in_row = copy.row_bytes / Index(sizeof(Word)), within = t - first[low];
    const Index row = within / in_row, k = (within % in_row) * Index(sizeof(Word));
    const Index i = row / copy.n1, j = row % copy.n1;
    *reinterpret_cast<Word *>(copy.to.first + i * copy.to.stride0 + j * copy.to.stride1 + k) =
        *reinterpret_cast<const Word *>(copy.from.first + i * copy.from.stride0 +
                                        j * copy.from.stride1 + k);
  }

  const RowCopy *copies;
  const Index *first; ///< word of each copy
  int count;
};

} // namespace hybridfft::grid
