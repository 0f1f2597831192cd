/// Description of a local matrix in a buffer. Its columns are divided into pieces, each with its
/// own position and strides. The blocks of an exchange, for example, are pieces. Local passes and
/// exchanges use this description.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hybridfft {

/// A piece: the columns first .. first+count-1 of all rows. Element v of column c of row r is at
/// base + r * row_stride + (c - first) * column_stride + v (in elements).
struct Piece {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t base = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;
  bool operator==(const Piece &) const = default;
};

/// A matrix with `rows` rows and `columns` columns; each entry has `vec` contiguous elements. The
/// pieces are not empty and follow each other in the order of the columns. There may be gaps:
/// columns that no piece contains. FFTs along the columns read these as zeros and do not write
/// them.
struct SplitRows {
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t columns = 0;
  std::ptrdiff_t vec = 1;
  std::vector<Piece> pieces;

  /// Returns a row-major matrix without gaps ("tight").
  static SplitRows tight(std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t vec) {
    return {rows, columns, vec, {{0, columns, 0, columns * vec, vec}}};
  }
  /// Returns the rows x columns transpose of a columns x rows matrix that is row-major and without
  /// gaps in memory.
  static SplitRows transposed_view(std::ptrdiff_t rows, std::ptrdiff_t columns,
                                   std::ptrdiff_t vec) {
    return {rows, columns, vec, {{0, columns, 0, vec, rows * vec}}};
  }

  /// Returns true if the matrix equals tight(). It does not allocate, because passes call it during
  /// execution.
  bool is_tight() const {
    return pieces.size() == 1 && pieces.front() == Piece{0, columns, 0, columns * vec, vec};
  }
  std::ptrdiff_t elements() const { return rows * columns * vec; }
  /// Returns the number of columns that are in a piece.
  std::ptrdiff_t stored_columns() const {
    std::ptrdiff_t count = 0;
    for (const Piece &p : pieces)
      count += p.count;
    return count;
  }
  bool has_gaps() const { return stored_columns() != columns; }
  /// Returns the number of elements that are in a piece.
  std::ptrdiff_t stored_elements() const { return rows * stored_columns() * vec; }
  /// Returns the index of the last stored element of the buffer plus one.
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

// Retained modes of an axis in a pruned transform, and their positions in its FFT.

/// The retained modes of an axis with n points, in an array of `modes` modes in FFT order. If
/// `modes` is even and less than n, the middle mode of the array would represent two modes of
/// opposite signs. These differ on a grid of n points, so the middle mode is not retained.
class RetainedModes {
public:
  /// \param halved true for real data; n and modes are then extents of real arrays
  RetainedModes(std::ptrdiff_t n, std::ptrdiff_t modes, bool halved);

  std::ptrdiff_t bins() const { return bins_; } ///< number of bins of the FFT
  std::ptrdiff_t stored() const {
    return stored_;
  } ///< number of modes in the array, retained or not
  std::ptrdiff_t kept() const { return low_ + high_; }
  std::ptrdiff_t low() const {
    return low_;
  } ///< number of retained modes at the front of the array

  /// Converts a matrix whose columns are the modes of the array to one whose columns are the bins
  /// of the FFT.
  SplitRows spread(const SplitRows &m) const;
  /// Returns the column of the mode that is not retained, as a matrix; it has no pieces if there is
  /// none.
  SplitRows hole(const SplitRows &m) const;

private:
  std::ptrdiff_t bins_, stored_;
  std::ptrdiff_t low_;  ///< number of modes with frequencies 0, 1, ...
  std::ptrdiff_t high_; ///< number of modes with negative frequencies, at the end of the array
};

/// Returns the matrix with only the elements first .. first+count-1 of every entry.
SplitRows within_vec(SplitRows m, std::ptrdiff_t first, std::ptrdiff_t count);

} // namespace hybridfft
