/// Storage of a local matrix whose columns lie in pieces of a buffer. Local passes and exchanges
/// share this description.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hybridfft {

/// Columns first .. first+count-1 of every row: element v of column c of row r is at
/// base + r * row_stride + (c - first) * column_stride + v (in elements).
struct Piece {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t base = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;
  bool operator==(const Piece &) const = default;
};

/// `rows` rows of `columns` columns of `vec` contiguous elements. The nonempty pieces tile the
/// columns in order. FFTs along the columns allow gaps between pieces: such columns are read as
/// zero, and not written.
struct SplitRows {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t vec = 1;
  std::vector<Piece> pieces;

  /// Returns row-major storage without gaps.
  static SplitRows tight(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t vec) {
    return {rows, columns, vec, {{0, columns, 0, columns * vec, vec}}};
  }
  /// Returns the rows of a tight columns x rows matrix as a view.
  static SplitRows transposed_view(std::ptrdiff_t rows, std::ptrdiff_t columns,
                                   std::ptrdiff_t vec) {
    return {rows, columns, vec, {{0, columns, 0, vec, rows * vec}}};
  }

  /// Returns true if the storage equals tight(). It does not allocate, because passes call it
  /// during execution.
  bool is_tight() const {
    return pieces.size() == 1 && pieces.front() == Piece{0, columns, 0, columns * vec, vec};
  }
  std::ptrdiff_t elements() const { return rows * columns * vec; }
  /// Returns the number of columns stored in a piece.
  std::ptrdiff_t stored_columns() const {
    std::ptrdiff_t count = 0;
    for (const Piece &p : pieces)
      count += p.count;
    return count;
  }
  bool has_gaps() const { return stored_columns() != columns; }
  /// Returns the number of elements stored in a piece.
  std::ptrdiff_t stored_elements() const { return rows * stored_columns() * vec; }
  /// Returns the number of elements of the buffer up to the last stored one.
  std::ptrdiff_t span() const {
    std::ptrdiff_t end = 0;
    for (const Piece &p : pieces)
      if (rows > 0)
        end = std::max(end,
                       p.base + (rows - 1) * p.row_stride + (p.count - 1) * p.column_stride + vec);
    return end;
  }
  bool operator==(const SplitRows &) const = default;
};

/// Returns true if the columns of every piece are adjacent in memory.
inline bool has_runs(const SplitRows &m) {
  return std::all_of(m.pieces.begin(), m.pieces.end(),
                     [](const Piece &p) { return p.count == 1 || p.column_stride == 1; });
}

} // namespace hybridfft
