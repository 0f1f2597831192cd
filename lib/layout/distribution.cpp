#include "layout/distribution.h"

#include <algorithm>

#include "layout/tiling.h"

namespace hybridfft {

ProcessGrid row_major(const std::vector<int> &ranks) {
  ProcessGrid grid;
  int stride = 1;
  for (std::size_t i = ranks.size(); i-- > 0; stride *= ranks[i])
    if (ranks[i] > 1) grid.insert(grid.begin(), {ranks[i], stride});
  return grid;
}

std::vector<int> squarish_grid(int ranks) {
  int factor = 1;
  for (int f = 1; f <= ranks / f; ++f)
    if (ranks % f == 0) factor = f;
  return {ranks / factor, factor};
}

ProcessGrid grid_of(const Layout &layout) {
  ProcessGrid grid;
  for (int a = 0; a < layout.dimensions(); ++a)
    if (layout.parts(a) > 1) grid.push_back({layout.parts(a), layout.rank_stride(a)});
  std::sort(grid.begin(), grid.end(),
            [](const GridDimension &a, const GridDimension &b) { return a.stride > b.stride; });
  return grid;
}

namespace {

/// Returns the axis distributed over each dimension of a layout's grid.
std::vector<int> axes_of(const ProcessGrid &grid, const Layout &layout) {
  std::vector<int> axes;
  for (const GridDimension &g : grid)
    for (int a = 0; a < layout.dimensions(); ++a)
      if (layout.parts(a) == g.ranks && layout.rank_stride(a) == g.stride) axes.push_back(a);
  return axes;
}

} // namespace

Distribution::Distribution(const Layout &layout)
    : given_(std::make_shared<const Layout>(layout)), grid_(grid_of(layout)),
      axes_(axes_of(grid_, layout)), ranks_(layout.ranks()) {
  int ranks = 1;
  for (const GridDimension &g : grid_)
    ranks *= g.ranks;
  if (ranks != ranks_) return;
  own_.resize(layout.axes().size());
  for (const AxisLayout &a : layout.axes())
    own_[static_cast<std::size_t>(a.axis)] = a.distribution;
}

Distribution::Distribution(ProcessGrid grid, std::vector<int> axes, int dimensions, int ranks)
    : grid_(std::move(grid)), axes_(std::move(axes)),
      parts_(static_cast<std::size_t>(dimensions), 1), ranks_(ranks) {
  for (std::size_t i = 0; i < grid_.size(); ++i)
    parts_[static_cast<std::size_t>(axes_[i])] *= grid_[i].ranks;
}

BlockDistribution Distribution::cut(std::size_t axis, const Extents &extents) const {
  const std::ptrdiff_t n = extents[axis];
  if (!given_) return {n, parts_[axis]};
  // An axis on one rank stays on one rank for any other extent.
  return own_[axis].n() == n ? own_[axis] : BlockDistribution(n, own_[axis].parts(), n);
}

std::vector<BlockDistribution> Distribution::all_cuts(const Extents &extents) const {
  std::vector<BlockDistribution> cuts;
  for (std::size_t a = 0; a < extents.size(); ++a)
    cuts.push_back(cut(a, extents));
  return cuts;
}

int Distribution::coordinate(int rank, std::size_t axis) const {
  int at = 0;
  for (std::size_t i = 0; i < grid_.size(); ++i)
    if (axes_[i] == static_cast<int>(axis))
      at = at * grid_[i].ranks + rank / grid_[i].stride % grid_[i].ranks;
  return at;
}

bool Distribution::covers(const Extents &extents) const {
  if (!given_) return true;
  const Extents own = given_->extents();
  for (std::size_t a = 0; a < extents.size(); ++a)
    if (own[a] != extents[a] && !is_local(static_cast<int>(a), own)) return false;
  return true;
}

IndexBox Distribution::box(int rank, const Extents &extents) const {
  if (is_list()) {
    IndexBox b = given_->box(rank);
    for (std::size_t a = 0; a < extents.size(); ++a)
      if (b.count[a] > 0 && given_->extent(static_cast<int>(a)) != extents[a])
        b.count[a] = extents[a];
    return b;
  }
  IndexBox b{Extents(extents.size()), Extents(extents.size())};
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const BlockDistribution d = cut(a, extents);
    const int at = coordinate(rank, a);
    b.start[a] = d.start(at);
    b.count[a] = d.count(at);
  }
  return b;
}

bool Distribution::is_local(int axis, const Extents &extents) const {
  const auto a = static_cast<std::size_t>(axis);
  if (!is_list()) return (given_ ? own_[a] : cut(a, extents)).working_parts() <= 1;
  for (int r = 0; r < ranks_; ++r)
    if (const IndexBox b = given_->box(r); b.points() > 0 && b.count[a] != given_->extent(axis))
      return false;
  return true;
}

std::vector<int> Distribution::ranks_of(const IndexBox &box, const Extents &extents) const {
  std::vector<int> ranks;
  if (box.points() == 0) return ranks;
  if (is_list()) {
    for (int r = 0; r < ranks_; ++r)
      if (intersection(box, this->box(r, extents)).points() > 0) ranks.push_back(r);
    return ranks;
  }
  ranks.push_back(0);
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const BlockDistribution d = cut(a, extents);
    std::vector<int> more;
    for (int at = d.owner(box.start[a]); at <= d.owner(box.start[a] + box.count[a] - 1); ++at)
      for (const int r : ranks)
        more.push_back(r + first_rank(a, at));
    ranks = std::move(more);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

int Distribution::first_rank(std::size_t axis, int coordinate) const {
  int rank = 0;
  for (std::size_t i = grid_.size(); i-- > 0;)
    if (axes_[i] == static_cast<int>(axis)) {
      rank += coordinate % grid_[i].ranks * grid_[i].stride;
      coordinate /= grid_[i].ranks;
    }
  return rank;
}

int Distribution::ranks_within(const IndexBox &box, const Extents &extents) const {
  if (box.points() == 0) return 0;
  if (is_list()) return static_cast<int>(ranks_of(box, extents).size());
  int n = 1;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const BlockDistribution d = cut(a, extents);
    n *= d.owner(box.start[a] + box.count[a] - 1) - d.owner(box.start[a]) + 1;
  }
  return n;
}

int Distribution::axes_cut(const IndexBox &box, const Extents &extents) const {
  if (box.points() == 0) return 0;
  std::vector<bool> cut_along(extents.size(), false);
  if (is_list())
    for (int r = 0; r < ranks_; ++r) {
      const IndexBox part = intersection(box, this->box(r, extents));
      for (std::size_t a = 0; a < extents.size(); ++a)
        if (part.points() > 0 && part.count[a] != box.count[a]) cut_along[a] = true;
    }
  else
    for (std::size_t a = 0; a < extents.size(); ++a) {
      const BlockDistribution d = cut(a, extents);
      cut_along[a] = d.owner(box.start[a]) != d.owner(box.start[a] + box.count[a] - 1);
    }
  return static_cast<int>(std::count(cut_along.begin(), cut_along.end(), true));
}

std::optional<GridCuts> Distribution::cuts(const Extents &extents) const {
  if (is_list()) return std::nullopt;
  for (std::size_t a = 0; a < own_.size(); ++a)
    if (const int parts = own_[a].parts();
        parts > 1 && own_[a] != BlockDistribution(extents[a], parts))
      return std::nullopt;
  return GridCuts{grid_, axes_};
}

bool Distribution::same_boxes(const Distribution &other, const Extents &extents) const {
  if (is_list() || other.is_list()) {
    for (int r = 0; r < ranks_; ++r) {
      const IndexBox a = box(r, extents);
      const IndexBox b = other.box(r, extents);
      if (a != b && (a.points() > 0 || b.points() > 0)) return false;
    }
    return true;
  }
  const std::vector<BlockDistribution> mine = all_cuts(extents);
  const std::vector<BlockDistribution> theirs = other.all_cuts(extents);
  if (mine == theirs && grid_ == other.grid_ && axes_ == other.axes_) return true;
  for (int r = 0; r < ranks_; ++r) {
    bool same = true;
    bool empty = false;
    bool other_empty = false;
    for (std::size_t a = 0; a < extents.size(); ++a) {
      const int at = coordinate(r, a);
      const int there = other.coordinate(r, a);
      same = same && mine[a].start(at) == theirs[a].start(there) &&
             mine[a].count(at) == theirs[a].count(there);
      empty = empty || mine[a].count(at) == 0;
      other_empty = other_empty || theirs[a].count(there) == 0;
    }
    if (!same && !(empty && other_empty)) return false;
  }
  return true;
}

std::string Distribution::describe() const {
  if (given_) return given_->describe();
  std::string sizes;
  std::string names;
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    sizes += (sizes.empty() ? "" : "x") + std::to_string(grid_[i].ranks);
    names += " n" + std::to_string(axes_[i]);
  }
  return sizes.empty() ? "one rank" : sizes + " ranks over" + names;
}

} // namespace hybridfft
