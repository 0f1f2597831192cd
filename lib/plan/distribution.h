/// Which box each rank has while a plan works: as a layout says, or on a process grid.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hybridfft/layout.hpp"

namespace hybridfft::plan {

/// A process grid: extents of its dimensions, and how far apart the ranks of neighbours are.
struct GridDimension {
  int ranks = 1;
  int stride = 1;
  bool operator==(const GridDimension &) const = default;
};
using ProcessGrid = std::vector<GridDimension>;

/// Row-major, the last dimension fastest. Dimensions of one rank are left out.
ProcessGrid row_major(const std::vector<int> &ranks);

/// Every way to write `ranks` as an ordered product of two factors.
std::vector<std::vector<int>> factorisations(int ranks);

/// The factors nearest to each other; the last dimension, of neighbouring ranks, is the smaller
/// one.
std::vector<int> squarish_grid(int ranks, int dimensions);

/// Dimensions of the grid of a layout, those with far ranks first; empty where it has none.
ProcessGrid grid_of(const Layout &layout);

using Extents = std::vector<std::ptrdiff_t>;

/// Which axis each dimension of a grid cuts.
struct GridCuts {
  ProcessGrid grid;
  std::vector<int> axes;
};

/// The array's extents are given with each question: those of the real or of the complex array.
class Distribution {
public:
  /// As a layout says.
  explicit Distribution(const Layout &layout);
  /// Each dimension of the grid cuts an axis into default blocks; several may cut the same one.
  Distribution(ProcessGrid grid, std::vector<int> axes, int dimensions, int ranks);

  int ranks() const { return ranks_; }
  /// Whether it says where arrays of these extents are: a layout does for its own, and for others
  /// whose other axes are not cut.
  bool covers(const Extents &extents) const;
  IndexBox box(int rank, const Extents &extents) const;
  /// No rank has a part of the axis only.
  bool is_local(int axis, const Extents &extents) const;
  /// The parts of an axis; not for lists of boxes.
  BlockDistribution cut(std::size_t axis, const Extents &extents) const;
  /// The ranks that have a part of a box, in their order.
  std::vector<int> ranks_of(const IndexBox &box, const Extents &extents) const;
  /// How many there are.
  int ranks_within(const IndexBox &box, const Extents &extents) const;
  /// Along how many axes a box is cut among the ranks that have parts of it.
  int axes_cut(const IndexBox &box, const Extents &extents) const;
  /// How a grid cuts these extents into default blocks; nothing where boxes are others.
  std::optional<GridCuts> cuts(const Extents &extents) const;
  bool same_boxes(const Distribution &other, const Extents &extents) const;

  /// "2x3 over n0 n2", or the layout's own words.
  std::string describe() const;

private:
  /// Whether questions are answered box by box. Those about a grid are answered axis by axis, at a
  /// cost that does not grow with the number of ranks.
  bool is_list() const { return given_ && own_.empty(); }
  std::vector<BlockDistribution> all_cuts(const Extents &extents) const;
  int coordinate(int rank, std::size_t axis) const;
  /// The first rank with a coordinate along an axis.
  int first_rank(std::size_t axis, int coordinate) const;

  std::shared_ptr<const Layout> given_;
  std::vector<BlockDistribution> own_; ///< the layout's, by axis; none where it is a list of boxes
  ProcessGrid grid_;
  std::vector<int> axes_;  ///< axis that each dimension of the grid cuts
  std::vector<int> parts_; ///< number of parts of each axis
  int ranks_ = 1;
};

} // namespace hybridfft::plan
