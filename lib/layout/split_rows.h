/// The storage of a local matrix whose columns lie in a buffer in pieces: the common interface of
/// local passes and exchanges.
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

/// `rows` rows of `columns` columns of `vec` contiguous elements; the pieces tile the columns in
/// order, empty pieces left out. For FFTs along the columns there may be gaps between them: such
/// columns are zero when they are read, and are not written.
struct SplitRows {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t vec = 1;
  std::vector<Piece> pieces;

  /// Row-major without gaps.
  static SplitRows tight(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t vec) {
    return {rows, columns, vec, {{0, columns, 0, columns * vec, vec}}};
  }
  /// The rows of a tight columns x rows matrix, seen without moving it.
  static SplitRows transposed_view(std::ptrdiff_t rows, std::ptrdiff_t columns,
                                   std::ptrdiff_t vec) {
    return {rows, columns, vec, {{0, columns, 0, vec, rows * vec}}};
  }

  /// True if this is what tight() returns, tested without an allocation: passes call it while they
  /// execute.
  bool is_tight() const {
    return pieces.size() == 1 && pieces.front() == Piece{0, columns, 0, columns * vec, vec};
  }
  std::ptrdiff_t elements() const { return rows * columns * vec; }
  /// Columns that have a place.
  std::ptrdiff_t stored_columns() const {
    std::ptrdiff_t count = 0;
    for (const Piece &p : pieces)
      count += p.count;
    return count;
  }
  bool has_gaps() const { return stored_columns() != columns; }
  /// Elements that have a place.
  std::ptrdiff_t stored_elements() const { return rows * stored_columns() * vec; }
  /// Elements of the buffer up to the last one that has a place.
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

/// True if the columns of every piece follow each other in memory.
inline bool has_runs(const SplitRows &m) {
  return std::all_of(m.pieces.begin(), m.pieces.end(),
                     [](const Piece &p) { return p.count == 1 || p.column_stride == 1; });
}

} // namespace hybridfft
