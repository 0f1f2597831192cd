/// A path leads from the distribution of a plan's input to the distribution of its output. It is a
/// list of distributions of the array over the ranks; in each of them some axes are transformed,
/// and exchanges lead from one to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/layout.hpp"
#include "plan/problem.h"

namespace hybridfft::plan {

// Distribution of an array over the ranks between two exchanges of a plan: that of a user's layout,
// or default blocks on a process grid.

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

using Extents = std::vector<std::ptrdiff_t>;

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

// Finds a path from the input's distribution to the output's. Each transformed axis must be
// undistributed in one of its stages. Dijkstra's algorithm finds the cheapest path for given costs
// of sent numbers and messages. It serves all layouts; pairs of slabs have fixed paths
// (arguments.h).

/// A distribution, and the axes transformed in it.
struct PathStage {
  std::shared_ptr<const Distribution> distribution;
  std::vector<int> axes;
  Extents extents; ///< extents of the array when the stage begins
  /// True for one stage of a path between slabs: it transforms the planes of its axes in one pass.
  /// The other stages transform lines with a stride (columns).
  bool planes = false;
};
/// Stages from the input's distribution to the output's.
using Path = std::vector<PathStage>;

/// A path, and the memory order of the axes between its steps.
struct OrderedPath {
  Path path;
  AxisOrder order;
};

/// Returns the stage that transforms planes; nullptr if the path is not one between slabs.
const PathStage *planes_of(const Path &path);

/// Costs along a path. The unit is the time of a pass over one complex number.
struct PathPrices {
  double wire = 3;       ///< for each number sent to another rank
  double message = 2000; ///< for each message, sent or received
  double unmoved = 1;    ///< for each number in an exchange, sent or kept: packing and unpacking
  /// Additional cost of each number copied before or after an exchange. FFTs cannot write or read
  /// blocks that are distributed along several axes, so these blocks need a copy.
  double copy = 0;
};

/// Costs for ranks that read each other's data in shared memory.
inline constexpr PathPrices shared_prices{0.5, 100, 0.3, 0};

/// Returns the cheapest path. Transforms of real data begin (r2c) or end (c2r) with the halved
/// axis. Deterministic problems transform the other axes in a fixed order: forward transforms from
/// the last axis to the first, backward transforms from the first to the last. Throws Failure if no
/// path exists.
Path find_path(const Problem &problem, const PathPrices &prices);

/// Returns the cheapest paths for several sets of costs, without duplicates, the likeliest first.
std::vector<Path> find_paths(const Problem &problem);

/// Returns a text such as "n0(8/4) n1(8): n1, 2x2 ranks over n1 n2: n0".
std::string describe(const Path &path);

} // namespace hybridfft::plan
