/// Finds a path from the input's distribution to the output's on which every axis is undistributed
/// once. Dijkstra's algorithm finds the cheapest path for given costs of volumes and messages.
/// Paths serve all layouts; pairs of slabs have their own fixed paths (slab_problem.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/distribution.h"
#include "plan/problem.h"
#include "plan/storage.h"

namespace hybridfft::plan {

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
