/// Paths of a problem: the distributions of the array between its transforms.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/layout.hpp"
#include "plan/problem.h"
#include "plan/storage.h"

namespace hybridfft::plan {

// Distribution of an array over the ranks between two exchanges of a plan. It is the distribution
// of a user's layout, or default blocks on a process grid. Paths consist of distributions.

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

/// Returns all ordered pairs of factors of `ranks`.
std::vector<std::vector<int>> factorisations(int ranks);

/// Returns the factors closest to each other. The last dimension, which has neighbouring ranks, is
/// the smallest.
std::vector<int> squarish_grid(int ranks, int dimensions);

/// Returns the grid of a layout, largest stride first; empty if the layout has no grid.
ProcessGrid grid_of(const Layout &layout);

using Extents = std::vector<std::ptrdiff_t>;

/// A grid, and the axis cut by each of its dimensions.
struct GridCuts {
  ProcessGrid grid;
  std::vector<int> axes;
};

/// A distribution, valid for arrays of different extents. Each query passes the extents of the real
/// or of the complex array.
class Distribution {
public:
  /// Takes the distribution of a layout.
  explicit Distribution(const Layout &layout);
  /// Cuts an axis into default blocks for each dimension of the grid. Several dimensions may cut
  /// the same axis.
  Distribution(ProcessGrid grid, std::vector<int> axes, int dimensions, int ranks);

  int ranks() const { return ranks_; }
  /// True if this distribution can place arrays of these extents. A layout places its own extents,
  /// and others if they differ along undistributed axes only.
  bool covers(const Extents &extents) const;
  IndexBox box(int rank, const Extents &extents) const;
  /// True if every rank has either all of the axis or none of it.
  bool is_local(int axis, const Extents &extents) const;
  /// Returns the blocks of an axis; not for lists of boxes.
  BlockDistribution cut(std::size_t axis, const Extents &extents) const;
  /// Returns the ranks with a part of a box, ascending.
  std::vector<int> ranks_of(const IndexBox &box, const Extents &extents) const;
  /// Returns the number of ranks with a part of a box.
  int ranks_within(const IndexBox &box, const Extents &extents) const;
  /// Returns the number of axes along which the ranks cut a box.
  int axes_cut(const IndexBox &box, const Extents &extents) const;
  /// Returns the grid and the axis cut by each of its dimensions; nothing unless all blocks of
  /// these extents have the default size.
  std::optional<GridCuts> cuts(const Extents &extents) const;
  bool same_boxes(const Distribution &other, const Extents &extents) const;

  /// "2x3 ranks over n0 n2", or the description of the layout.
  std::string describe() const;

private:
  /// True if a query examines the boxes of all ranks. With a grid a query examines axes, at a cost
  /// independent of the number of ranks.
  bool is_list() const { return given_ && own_.empty(); }
  std::vector<BlockDistribution> all_cuts(const Extents &extents) const;
  int coordinate(int rank, std::size_t axis) const;
  /// Returns the first rank with a coordinate along an axis.
  int first_rank(std::size_t axis, int coordinate) const;

  std::shared_ptr<const Layout> given_;
  std::vector<BlockDistribution> own_; ///< blocks of the layout by axis; empty for a list of boxes
  ProcessGrid grid_;
  std::vector<int> axes_;  ///< axis cut by each dimension of the grid
  std::vector<int> parts_; ///< number of parts of each axis
  int ranks_ = 1;
};

// Finds a path from the input's distribution to the output's on which every axis is undistributed
// once. Dijkstra's algorithm finds the cheapest path for given costs of volumes and messages.
// Paths serve all layouts; pairs of slabs have their own fixed paths (arguments.h).

/// A distribution, and the axes transformed in it.
struct PathStage {
  std::shared_ptr<const Distribution> distribution;
  std::vector<int> axes;
  Extents extents; ///< extents of the array when the stage begins
  /// True for one stage of a path between slabs. This stage transforms planes of its axes; the
  /// other stages transform columns.
  bool planes = false;
};
/// Stages from the input's distribution to the output's.
using Path = std::vector<PathStage>;

/// A path, and the memory order of the axes between its steps.
struct OrderedPath {
  Path path;
  AxisOrder order;
};

/// Returns the stage with planes; nullptr if the path is not one between slabs.
const PathStage *planes_of(const Path &path);

/// Costs along a path, as multiples of a pass over one complex number.
struct PathPrices {
  double wire = 3;       ///< for each number sent to another rank
  double message = 2000; ///< for each message, sent or received
  double unmoved = 1;    ///< for each number in an exchange, to pack and unpack it
  /// Cost of each number copied before or after an exchange. FFTs cannot write or read blocks cut
  /// along several axes, so these blocks need a copy.
  double copy = 0;
};

/// Costs for ranks that read each other's data in shared memory.
inline constexpr PathPrices shared_prices{0.5, 100, 0.3, 0};

/// Returns the cheapest path. Transforms of real data begin or end with the halved axis.
/// Deterministic ones take the other axes from the last to the first, or backward from the first to
/// the last. Throws Failure if no path exists.
Path find_path(const Problem &problem, const PathPrices &prices);

/// Returns different paths, each the cheapest for some costs, the likeliest first.
std::vector<Path> find_paths(const Problem &problem);

/// Returns a text such as "n0(8/4) n1(8): n1, 2x2 ranks over n1 n2: n0".
std::string describe(const Path &path);

} // namespace hybridfft::plan
