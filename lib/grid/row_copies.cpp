#include "grid/row_copies.h"

#include <algorithm>
#include <cstring>

#include "base/memory.h"
#include "base/threads.h"

namespace hybridfft::grid {

namespace {

/// Calls copy(to, from) for each of the rows j .. last_j-1 of plane i.
template <class Copy>
void for_rows(const RowCopy &c, Index i, Index j, Index last_j, const Copy &copy) {
  const std::byte *from = c.from.first + i * c.from.stride0 + j * c.from.stride1;
  std::byte *to = c.to.first + i * c.to.stride0 + j * c.to.stride1;
  for (; j < last_j; ++j, from += c.from.stride1, to += c.to.stride1)
    copy(to, from);
}

/// Copies rows with lengths between `half` and 2 `half` bytes. It copies the first and the last
/// `half` bytes of a row, which may overlap, by vector moves of constant size. This is faster than
/// memcpy.
template <std::size_t half> void copy_as_halves(const RowCopy &c, Index i, Index j, Index last_j) {
  const Index last = c.row_bytes - static_cast<Index>(half);
  for_rows(c, i, j, last_j, [last](std::byte *to, const std::byte *from) {
    std::memcpy(to, from, half);
    std::memcpy(to + last, from + last, half);
  });
}

/// Copies rows of a single value.
template <std::size_t bytes> void copy_values(const RowCopy &c, Index i, Index j, Index last_j) {
  for_rows(c, i, j, last_j,
           [](std::byte *to, const std::byte *from) { std::memcpy(to, from, bytes); });
}

void copy_any(const RowCopy &c, Index i, Index j, Index last_j) {
  for_rows(c, i, j, last_j, [&c](std::byte *to, const std::byte *from) {
    std::memcpy(to, from, static_cast<std::size_t>(c.row_bytes));
  });
}

/// Copies rows j .. last_j-1 of plane i. Short rows have special code, because halos along the
/// contiguous axis are a few values wide.
void copy_rows(const RowCopy &c, Index i, Index j, Index last_j) {
  const Index bytes = c.row_bytes;
  if (bytes > 128) return copy_any(c, i, j, last_j);
  if (bytes > 64) return copy_as_halves<64>(c, i, j, last_j);
  if (bytes > 32) return copy_as_halves<32>(c, i, j, last_j);
  if (bytes > 16) return copy_as_halves<16>(c, i, j, last_j);
  if (bytes > 8) return copy_as_halves<8>(c, i, j, last_j);
  if (bytes == 8) return copy_values<8>(c, i, j, last_j);
  if (bytes > 4) return copy_as_halves<4>(c, i, j, last_j);
  if (bytes == 4) return copy_values<4>(c, i, j, last_j);
  return copy_any(c, i, j, last_j);
}

/// Returns the cost of a row, in bytes: its length plus one cache line.
Index cost_of_row(const RowCopy &copy) { return static_cast<Index>(alignment) + copy.row_bytes; }

/// Minimum cost for each thread; less work does not justify waking a thread.
constexpr Index min_cost = Index{1} << 16;

} // namespace

void RowCopies::add(const RowCopy &copy) {
  copies_.push_back(copy);
  first_cost_.push_back(first_cost_.back() + copy.n0 * copy.n1 * cost_of_row(copy));
}

void RowCopies::run(int threads) const {
  const Index total = first_cost_.back();
  const auto most = static_cast<int>(std::clamp<Index>(total / min_cost, 1, std::max(threads, 1)));
  parallel_ranges(total, most, [this](Index first, Index last, int) { run_part(first, last); });
}

void RowCopies::run_part(Index first, Index last) const {
  auto n = static_cast<std::size_t>(
      std::upper_bound(first_cost_.begin(), first_cost_.end(), first) - first_cost_.begin() - 1);
  for (; n < copies_.size() && first_cost_[n] < last; ++n) {
    const RowCopy &copy = copies_[n];
    const Index cost = cost_of_row(copy);
    // Returns the number of rows of this copy that start before a position in the sum of all costs.
    const auto rows = [&](Index position) {
      return std::clamp<Index>((position - first_cost_[n] + cost - 1) / cost, 0, copy.n0 * copy.n1);
    };
    const Index end = rows(last);
    for (Index row = rows(first); row < end;) {
      const Index j = row % copy.n1;
      const Index count = std::min(copy.n1 - j, end - row);
      copy_rows(copy, row / copy.n1, j, j + count);
      row += count;
    }
  }
}

} // namespace hybridfft::grid
