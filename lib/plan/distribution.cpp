#include "plan/distribution.h"

#include <algorithm>
#include <cmath>

#include "layout/tiling.h"

namespace hybridfft::plan {

ProcessGrid row_major(const std::vector<int> &ranks) {
  ProcessGrid grid;
  int stride = 1;
  for (std::size_t i = ranks.size(); i-- > 0; stride *= ranks[i])
    if (ranks[i] > 1) grid.insert(grid.begin(), {ranks[i], stride});
  return grid;
}

std::vector<std::vector<int>> factorisations(int ranks) {
  std::vector<std::vector<int>> all;
  for (int p = 1; p <= ranks; ++p)
    if (ranks % p == 0) all.push_back({p, ranks / p});
  return all;
}

std::vector<int> squarish_grid(int ranks, int dimensions) {
  std::vector<int> grid(static_cast<std::size_t>(dimensions), 1);
  for (int i = dimensions - 1; i > 0; --i) {
    // The largest factor up to the root that all remaining dimensions would share.
    const double root = std::pow(ranks, 1.0 / (i + 1));
    int factor = 1;
    for (int f = 1; f <= ranks && f <= root + 1e-9; ++f)
      if (ranks % f == 0) factor = f;
    grid[static_cast<std::size_t>(i)] = factor;
    ranks /= factor;
  }
  grid[0] = ranks;
  return grid;
}

ProcessGrid grid_of(const Layout &layout) {
  ProcessGrid grid;
  for (int a = 0; a < layout.dimensions(); ++a)
    if (layout.parts(a) > 1) grid.push_back({layout.parts(a), layout.rank_stride(a)});
  std::sort(grid.begin(), grid.end(),
            [](const GridDimension &a, const GridDimension &b) { return a.stride > b.stride; });
  return grid;
}

Distribution::Distribution(ProcessGrid grid, std::vector<int> axes, int dimensions, int ranks)
    : grid_(std::move(grid)), axes_(std::move(axes)),
      parts_(static_cast<std::size_t>(dimensions), 1), ranks_(ranks) {
  for (std::size_t i = 0; i < grid_.size(); ++i)
    parts_[static_cast<std::size_t>(axes_[i])] *= grid_[i].ranks;
}

BlockDistribution Distribution::cut(std::size_t axis, const Extents &extents) const {
  return {extents[axis], parts_[axis]};
}

bool Distribution::covers(const Extents &extents) const {
  if (!given_) return true;
  const Extents own = given_->extents();
  for (std::size_t a = 0; a < extents.size(); ++a)
    if (own[a] != extents[a] && !is_local(static_cast<int>(a), own)) return false;
  return true;
}

IndexBox Distribution::box(int rank, const Extents &extents) const {
  if (given_) {
    IndexBox b = given_->box(rank);
    for (std::size_t a = 0; a < extents.size(); ++a)
      if (b.count[a] > 0 && given_->extent(static_cast<int>(a)) != extents[a])
        b.count[a] = extents[a];
    return b;
  }
  std::vector<int> at(extents.size(), 0);
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    int &coordinate = at[static_cast<std::size_t>(axes_[i])];
    coordinate = coordinate * grid_[i].ranks + rank / grid_[i].stride % grid_[i].ranks;
  }
  IndexBox b{Extents(extents.size()), Extents(extents.size())};
  for (std::size_t a = 0; a < extents.size(); ++a) {
    const BlockDistribution d = cut(a, extents);
    b.start[a] = d.start(at[a]);
    b.count[a] = d.count(at[a]);
  }
  return b;
}

bool Distribution::is_local(int axis, const Extents &extents) const {
  const auto a = static_cast<std::size_t>(axis);
  if (!given_) return parts_[a] == 1 || cut(a, extents).working_parts() <= 1;
  for (int r = 0; r < ranks_; ++r)
    if (const IndexBox b = given_->box(r); b.points() > 0 && b.count[a] != given_->extent(axis))
      return false;
  return true;
}

int Distribution::ranks_within(const IndexBox &box, const Extents &extents) const {
  if (box.points() == 0) return 0;
  int n = given_ ? 0 : 1;
  if (given_)
    for (int r = 0; r < ranks_; ++r)
      n += intersection(box, this->box(r, extents)).points() > 0 ? 1 : 0;
  else
    for (std::size_t a = 0; a < extents.size(); ++a) {
      const BlockDistribution d = cut(a, extents);
      n *= d.owner(box.start[a] + box.count[a] - 1) - d.owner(box.start[a]) + 1;
    }
  return n;
}

int Distribution::axes_cut(const IndexBox &box, const Extents &extents) const {
  if (box.points() == 0) return 0;
  std::vector<bool> cut_along(extents.size(), false);
  if (given_)
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
  if (!given_) return GridCuts{grid_, axes_};
  GridCuts cuts{grid_of(*given_), {}};
  int ranks = 1;
  for (const GridDimension &g : cuts.grid) {
    ranks *= g.ranks;
    for (int a = 0; a < given_->dimensions(); ++a)
      if (given_->parts(a) == g.ranks && given_->rank_stride(a) == g.stride) cuts.axes.push_back(a);
  }
  for (const AxisLayout &a : given_->axes()) {
    const std::ptrdiff_t n = extents[static_cast<std::size_t>(a.axis)];
    if (a.distribution.parts() > 1 &&
        a.distribution != BlockDistribution(n, a.distribution.parts()))
      return std::nullopt;
  }
  if (ranks != ranks_) return std::nullopt;
  return cuts;
}

bool Distribution::same_boxes(const Distribution &other, const Extents &extents) const {
  for (int r = 0; r < ranks_; ++r) {
    const IndexBox a = box(r, extents);
    const IndexBox b = other.box(r, extents);
    if (a != b && (a.points() > 0 || b.points() > 0)) return false;
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

} // namespace hybridfft::plan
