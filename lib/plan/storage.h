/// A rank's part of an array in a buffer, as boxes with strides. User arrays, work buffers and
/// messages all have this description, in any order of the axes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"
#include "local/box_copy.h"

namespace hybridfft::plan {

/// A memory order of the axes 0 .. d-1 of an array, from the slowest to the fastest; axis d stands
/// for its fields.
using AxisOrder = std::vector<int>;

/// Returns the box extended by axis d with all fields.
IndexBox with_fields(IndexBox box, std::ptrdiff_t howmany);

/// A box in a buffer, with its first element at index `base`. Offsets count elements.
struct StoredBox {
  IndexBox box;
  std::vector<std::ptrdiff_t> stride; ///< by axis
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

/// Returns the copies from one storage of a box to another.
std::vector<local::BoxCopy> copies(const Storage &from, const Storage &to);

} // namespace hybridfft::plan
