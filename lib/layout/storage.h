/// Data of a rank as boxes with strides in a buffer: user arrays, work buffers and messages, in any
/// order of axes. The lines along an axis are described as one or more matrices, for passes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hybridfft/layout.hpp"
#include "layout/distribution.h"
#include "layout/split_rows.h"

namespace hybridfft {

/// Returns the box with the fields as an additional last axis.
IndexBox with_fields(IndexBox box, std::ptrdiff_t howmany);

/// A box in a buffer, with its first element at index `base`. Offsets count elements.
struct StoredBox {
  IndexBox box;
  std::vector<std::ptrdiff_t> stride; ///< elements between neighbouring points, by axis
  std::ptrdiff_t base = 0;
};

/// The box of a rank, stored as one or more boxes of real or complex elements.
struct Storage {
  IndexBox box;
  bool real = false;
  std::vector<StoredBox> boxes; ///< non-empty boxes; together they cover `box`
  std::ptrdiff_t elements = 0;  ///< capacity of the buffer in elements

  bool empty() const { return box.points() == 0; }
  /// Capacity of the buffer in real numbers.
  std::ptrdiff_t reals() const { return real ? elements : 2 * elements; }
};

/// Returns the storage of a rank's local array.
Storage stored(const Layout &layout, int rank, bool real);

/// Returns one box in a memory order, without gaps except `padding` points after each line of axis
/// `padded`.
Storage stored(const IndexBox &box, const AxisOrder &order, bool real, int padded = -1,
               std::ptrdiff_t padding = 0);

/// Boxes stored one after another, each without gaps and aligned to cache lines. `bases` has the
/// first index of every box of the list, also of empty ones.
struct PlacedBoxes {
  Storage storage;
  std::vector<std::ptrdiff_t> bases;
};
PlacedBoxes stored(const IndexBox &whole, const std::vector<IndexBox> &boxes,
                   const AxisOrder &order, bool real, std::size_t element);

/// Returns the lines along an axis as the columns of a matrix. Its rows enumerate the points of the
/// axes before `axis` in `order`, and its innermost dimension (vec) the points of the axes after
/// it. Returns nothing if boxes divide other axes, or if axes do not follow each other in memory.
std::optional<SplitRows> as_columns(const Storage &s, const AxisOrder &order, int axis);

/// Return bytes: element_bytes() of one element, buffer_bytes() of the whole buffer.
std::size_t element_bytes(const Storage &s, std::size_t real_bytes);
std::size_t buffer_bytes(const Storage &s, std::size_t real_bytes);

// Lines along an axis of data that are stored in several boxes, for example the messages of an
// exchange. The boxes may divide the other axes too. A cell is a set of complete lines that no box
// before or after the transform divides along another axis. The lines of each cell form one or more
// matrices, and the matrices are transformed one after another. This saves a copy to a single box.

/// Matrices of the same lines before and after their transform.
struct MatrixPair {
  SplitRows source, destination;

  /// True if the lines are contiguous before and after, at least in pieces of several points
  /// (runs).
  bool is_of_lines() const { return source.vec == 1 && has_runs(source) && has_runs(destination); }
};

/// Largest number of matrices of one transform. More of them cost more than a copy or a separate
/// pass.
constexpr std::size_t max_matrices = 64;

/// Returns matrices that together have all lines along `axis`, before the transform in `from` and
/// after it in `to`. The boxes of both storages may differ only in the extent along this axis.
/// Returns nothing for more than `most` matrices.
std::optional<std::vector<MatrixPair>> as_matrices(const Storage &from, const Storage &to,
                                                   const AxisOrder &order, int axis,
                                                   std::size_t most = max_matrices);

/// Returns boxes with `points` points along `axis`. Along the other axes they have the same
/// divisions as the boxes of the storage. Returns nothing for more than max_matrices boxes.
std::optional<std::vector<IndexBox>> merged_along(const Storage &s, int axis,
                                                  std::ptrdiff_t points);

} // namespace hybridfft
