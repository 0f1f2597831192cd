/// The ways from one distribution of an array to another on which every axis is whole once: found
/// as cheapest paths by a model of volumes and messages.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plan/distribution.h"
#include "plan/problem.h"
#include "plan/storage.h"

namespace hybridfft::plan {

/// A distribution, and what is transformed while it lasts.
struct PathStage {
  std::shared_ptr<const Distribution> distribution;
  std::vector<int> axes;
  Extents extents; ///< extents of the array when the stage begins
  /// True for one stage of a path between slabs: planes of its axes are transformed, in the others
  /// columns.
  bool planes = false;
};
/// From the input's distribution, the first, to the output's, the last.
using Path = std::vector<PathStage>;

/// A path, and the order of the axes in memory between its steps.
struct OrderedPath {
  Path path;
  AxisOrder order;
};

/// The stage with planes; nullptr if the path is not one between slabs.
const PathStage *planes_of(const Path &path);

/// Prices of what a path does, as multiples of a pass over one complex number.
struct PathPrices {
  double wire = 3;       ///< a number that changes its rank
  double message = 2000; ///< to or from another rank
  double unmoved = 1;    ///< a number that takes part in an exchange: packed, unpacked
  /// A number that no FFT can write or read where it is exchanged: blocks are cut along several
  /// axes.
  double copy = 0;
};

/// The prices where ranks read from memory that they share.
inline constexpr PathPrices shared_prices{0.5, 100, 0.3, 0};

/// The cheapest path. Transforms of real data begin or end with the halved axis; deterministic ones
/// take the others from the last to the first, or backward from the first to the last. Throws
/// Failure where there is none.
Path find_path(const Problem &problem, const PathPrices &prices);

/// Different paths that are the cheapest for some prices, the likeliest first.
std::vector<Path> find_paths(const Problem &problem);

/// "n0(8/4) n1(8): n1, 2x2 ranks over n1 n2: n0".
std::string describe(const Path &path);

} // namespace hybridfft::plan
