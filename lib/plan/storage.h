/// A rank's part of an array in a buffer: boxes and their strides, whatever the order of the axes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "hybridfft/layout.hpp"
#include "layout/split_rows.h"
#include "local/box_copy.h"

namespace hybridfft::plan {

/// Axes 0 .. d-1 of an array, and axis d: its fields.
using AxisOrder = std::vector<int>; ///< from the slowest to the fastest

/// A box with axis d, of all fields.
IndexBox with_fields(IndexBox box, std::ptrdiff_t howmany);

/// A box in a buffer: its first element is at `base`. Offsets count elements.
struct StoredBox {
  IndexBox box;
  std::vector<std::ptrdiff_t> stride; ///< by axis
  std::ptrdiff_t base = 0;
};

/// Boxes that are together the box of a rank, all of real or all of complex elements.
struct Storage {
  IndexBox box;
  bool real = false;
  std::vector<StoredBox> boxes; ///< without empty ones
  std::ptrdiff_t elements = 0;  ///< elements that the buffer has room for

  bool empty() const { return box.points() == 0; }
  /// Reals that the buffer holds.
  std::ptrdiff_t reals() const { return real ? elements : 2 * elements; }
};

/// The local array of a rank.
Storage stored(const Layout &layout, int rank, bool real);

/// One box in a memory order, without gaps but for `padding` points after each line of the axis
/// `padded`.
Storage stored(const IndexBox &box, const AxisOrder &order, bool real, int padded = -1,
               std::ptrdiff_t padding = 0);

/// Boxes one after another, each without gaps, on cache lines of elements of so many bytes; their
/// bases by their place in the list. Empty ones have one, too.
struct Pieces {
  Storage storage;
  std::vector<std::ptrdiff_t> bases;
};
Pieces stored(const IndexBox &whole, const std::vector<IndexBox> &boxes, const AxisOrder &order,
              bool real, std::size_t element);

/// The lines along an axis as the columns of a matrix: rows are the axes before it in `order`, vec
/// is those behind it. Nothing where the storage cannot be seen so: boxes are cut along other axes,
/// or axes do not follow each other in memory.
std::optional<SplitRows> as_columns(const Storage &s, const AxisOrder &order, int axis);

/// The copies that bring a box from one storage to another.
std::vector<local::BoxCopy> copies(const Storage &from, const Storage &to);

} // namespace hybridfft::plan
