#include "grid/row_copies.h"

#include <algorithm>
#include <cstring>

#include "base/threads.h"

namespace hybridfft::grid {

namespace {

/// Rows of a size that the compiler knows take a few vector moves instead of a call.
template <std::size_t bytes> void copy_fixed(const RowCopy &c, Index i, Index j, Index last_j) {
  const std::byte *from = c.from.first + i * c.from.stride0 + j * c.from.stride1;
  std::byte *to = c.to.first + i * c.to.stride0 + j * c.to.stride1;
  for (; j < last_j; ++j, from += c.from.stride1, to += c.to.stride1)
    std::memcpy(to, from, bytes);
}

void copy_any(const RowCopy &c, Index i, Index j, Index last_j) {
  const std::byte *from = c.from.first + i * c.from.stride0 + j * c.from.stride1;
  std::byte *to = c.to.first + i * c.to.stride0 + j * c.to.stride1;
  for (; j < last_j; ++j, from += c.from.stride1, to += c.to.stride1)
    std::memcpy(to, from, static_cast<std::size_t>(c.row_bytes));
}

/// Rows j .. last_j-1 of plane i. Halos across the contiguous axis are a few values wide.
void copy_rows(const RowCopy &c, Index i, Index j, Index last_j) {
  switch (c.row_bytes) {
  case 4:
    return copy_fixed<4>(c, i, j, last_j);
  case 8:
    return copy_fixed<8>(c, i, j, last_j);
  case 12:
    return copy_fixed<12>(c, i, j, last_j);
  case 16:
    return copy_fixed<16>(c, i, j, last_j);
  case 24:
    return copy_fixed<24>(c, i, j, last_j);
  case 32:
    return copy_fixed<32>(c, i, j, last_j);
  case 48:
    return copy_fixed<48>(c, i, j, last_j);
  case 64:
    return copy_fixed<64>(c, i, j, last_j);
  case 128:
    return copy_fixed<128>(c, i, j, last_j);
  default:
    return copy_any(c, i, j, last_j);
  }
}

} // namespace

void RowCopies::add(const RowCopy &copy) {
  copies_.push_back(copy);
  first_row_.push_back(first_row_.back() + copy.n0 * copy.n1);
}

void RowCopies::run(int threads) const {
  parallel_ranges(first_row_.back(), threads,
                  [this](Index first, Index last, int) { run_rows(first, last); });
}

void RowCopies::run_rows(Index first, Index last) const {
  auto n = static_cast<std::size_t>(std::upper_bound(first_row_.begin(), first_row_.end(), first) -
                                    first_row_.begin() - 1);
  while (first < last) {
    const RowCopy &copy = copies_[n];
    const Index row = first - first_row_[n];
    const Index j = row % copy.n1;
    const Index count = std::min({copy.n1 - j, last - first, first_row_[n + 1] - first});
    copy_rows(copy, row / copy.n1, j, j + count);
    first += count;
    if (first == first_row_[n + 1]) ++n;
  }
}

} // namespace hybridfft::grid
