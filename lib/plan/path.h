/// A path leads from the distribution of a plan's input to the distribution of its output. It is a
/// list of distributions of the array over the ranks; in each of them some axes are transformed,
/// and exchanges lead from one to the next.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "layout/distribution.h"
#include "plan/problem.h"

namespace hybridfft::plan {

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
