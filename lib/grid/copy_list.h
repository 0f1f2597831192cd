/// Copies boxes of rows word by word, as a kernel of devices.
#pragma once

#include "grid/row_copies.h"

namespace hybridfft::grid {

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
