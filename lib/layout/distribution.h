/// Distributions of an array over the ranks between two exchanges of a plan: those of users'
/// layouts, and default blocks on process grids.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/layout.hpp"

namespace hybridfft {

/// One dimension of a process grid: its number of ranks, and the distance between neighbouring
/// ranks.
struct GridDimension {
  int ranks = 1;
  int stride = 1;
  bool operator==(const GridDimension &) const = default;
};
using ProcessGrid = std::vector<GridDimension>;

/// Returns a row-major grid; the last dimension is the fastest. Dimensions of one rank are omitted.
ProcessGrid row_major(const std::vector<int> &ranks);

/// Returns a process grid whose two dimensions are as equal as possible. The last dimension, whose
/// ranks are neighbours, is the smaller one.
std::vector<int> squarish_grid(int ranks);

/// Returns the process grid of a layout, its dimension of largest stride first; empty if the layout
/// consists of boxes of any shape.
ProcessGrid grid_of(const Layout &layout);

using Extents = std::vector<std::ptrdiff_t>; ///< points of an array along each axis

/// A memory order of the axes 0 .. d-1 of an array, from the slowest to the fastest; axis d stands
/// for its fields.
using AxisOrder = std::vector<int>;

/// A process grid, and for each of its dimensions the axis distributed over it.
struct GridCuts {
  ProcessGrid grid;
  std::vector<int> axes;
};

/// A distribution of an array over the ranks. It holds for arrays of different extents, for example
/// the real and the complex array of a transform: queries take the extents as an argument.
class Distribution {
public:
  /// Takes the distribution of a layout.
  explicit Distribution(const Layout &layout);
  /// Distributes axis axes[k] in default blocks over dimension k of the grid. Several dimensions
  /// may share an axis.
  Distribution(ProcessGrid grid, std::vector<int> axes, int dimensions, int ranks);

  int ranks() const { return ranks_; }
  /// True if this distribution can place arrays of these extents. A user's layout places arrays of
  /// its own extents. It also places arrays whose extents differ from them only along undistributed
  /// axes.
  bool covers(const Extents &extents) const;
  IndexBox box(int rank, const Extents &extents) const;
  /// True if each rank has either all points of the axis or none.
  bool is_local(int axis, const Extents &extents) const;
  /// Returns the blocks of an axis over the ranks. Not for layouts of boxes of any shape.
  BlockDistribution cut(std::size_t axis, const Extents &extents) const;
  /// Returns the ranks with points of a box, in ascending order.
  std::vector<int> ranks_of(const IndexBox &box, const Extents &extents) const;
  /// Returns the number of ranks with points of a box.
  int ranks_within(const IndexBox &box, const Extents &extents) const;
  /// Returns the number of axes along which the points of a box are distributed over several ranks.
  int axes_cut(const IndexBox &box, const Extents &extents) const;
  /// Returns the grid and the axis distributed over each of its dimensions. Returns nothing unless
  /// all blocks of these extents have the default size.
  std::optional<GridCuts> cuts(const Extents &extents) const;
  bool same_boxes(const Distribution &other, const Extents &extents) const;

  /// Returns a text such as "2x3 ranks over n0 n2", or the description of the user's layout.
  std::string describe() const;

private:
  /// True for a layout of boxes of any shape: a query then examines the boxes of all ranks. With a
  /// process grid the cost of a query does not depend on the number of ranks.
  bool is_list() const { return given_ && own_.empty(); }
  std::vector<BlockDistribution> all_cuts(const Extents &extents) const;
  int coordinate(int rank, std::size_t axis) const;
  /// Returns the first rank with this grid coordinate along an axis.
  int first_rank(std::size_t axis, int coordinate) const;

  std::shared_ptr<const Layout> given_;
  std::vector<BlockDistribution> own_; ///< blocks of the layout by axis; empty for a list of boxes
  ProcessGrid grid_;
  std::vector<int> axes_;  ///< axis distributed over each dimension of the grid
  std::vector<int> parts_; ///< number of parts of each axis
  int ranks_ = 1;
};

} // namespace hybridfft
