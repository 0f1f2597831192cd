// Finds paths by Dijkstra's algorithm. A state is a distribution and the set of axes transformed so
// far. A step of the search either transforms axes that are local in the distribution, or exchanges
// data.
#include "plan/path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "base/error.h"
#include "layout/tiling.h"

namespace hybridfft::plan {

namespace {

/// Maximum number of assignments of axes to the dimensions of a grid: 5^3, for five axes and three
/// dimensions. Larger grids are skipped.
constexpr double max_assignments = 125;

/// Tie break: late transforms cost a little more, so a stage transforms as many axes as it can.
constexpr double late = 1e-6;

/// Cost of exchanging a real number relative to a complex one, for r2c and c2r problems that also
/// have kinds of axes (Problem::kinds). It includes copies of the lines on both sides of the
/// exchange.
constexpr double exchanged_real = 0.6;

/// Extents of the array for each set of transformed axes. Bit i of a set stands for element i of
/// the problem's list of axes.
class Shapes {
public:
  explicit Shapes(const Problem &p) : p_(p) {
    for (std::size_t i = 0; i < p.axes.size(); ++i)
      if (p.axes[i] == p.halved_axis() || p.extent(p.axes[i], false) != p.extent(p.axes[i], true))
        changing_ |= std::size_t{1} << i;
    for (std::size_t set = changing_;; set = (set - 1) & changing_) {
      all_.push_back(set);
      if (set == 0) break;
    }
  }

  /// Returns one set for each different shape of the array.
  const std::vector<std::size_t> &all() const { return all_; }
  std::size_t of(std::size_t set) const { return set & changing_; }

  Extents extents(std::size_t set) const {
    Extents n(static_cast<std::size_t>(p_.dimensions()));
    for (int a = 0; a < p_.dimensions(); ++a)
      n[static_cast<std::size_t>(a)] = p_.extent(a, false);
    for (std::size_t i = 0; i < p_.axes.size(); ++i)
      if ((set >> i & 1U) != 0)
        n[static_cast<std::size_t>(p_.axes[i])] = p_.extent(p_.axes[i], true);
    return n;
  }

private:
  const Problem &p_;
  std::size_t changing_ = 0; ///< bits of the axes whose transforms change the extents
  std::vector<std::size_t> all_;
};

/// Nodes of the search: the distribution of the input, that of the output, and all assignments of
/// axes to the dimensions of some grids.
class PathNodes {
public:
  explicit PathNodes(const Problem &p) : p_(p), ranks_(p.in.ranks()) {
    const Shapes shapes(p);
    for (const std::size_t set : shapes.all())
      shapes_.push_back(shapes.extents(set));
    add(Distribution(p.in));
    output_ = add(Distribution(p.out));
    for (const ProcessGrid &g :
         {grid_of(p.in), grid_of(p.out), row_major({ranks_}), row_major(squarish_grid(ranks_))})
      add_grid(g);
    add(Distribution(on_one_rank()));
  }

  std::size_t size() const { return all_.size(); }
  std::size_t output() const { return output_; }
  const std::shared_ptr<const Distribution> &operator[](std::size_t i) const { return all_[i]; }

private:
  std::size_t add(Distribution d) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (same(*all_[i], d)) return i;
    all_.push_back(std::make_shared<const Distribution>(std::move(d)));
    return all_.size() - 1;
  }

  /// Returns the layout with all points on one rank: the only option for an array of one axis, and
  /// a good one for few points.
  Layout on_one_rank() const {
    const Extents n = p_.extents();
    return Layout::slab(n, ranks_, {false, n.front(), 1, 0});
  }

  bool same(const Distribution &a, const Distribution &b) const {
    for (const Extents &n : shapes_)
      if (a.covers(n) != b.covers(n) || (a.covers(n) && !a.same_boxes(b, n))) return false;
    return true;
  }

  void add_grid(const ProcessGrid &grid) {
    if (grid.empty() || std::pow(p_.dimensions(), grid.size()) > max_assignments) return;
    std::vector<int> axes(grid.size(), 0);
    for (bool more = true; more;) {
      add(Distribution(grid, axes, p_.dimensions(), ranks_));
      more = false;
      for (int &axis : axes) {
        axis = (axis + 1) % p_.dimensions();
        more = axis != 0;
        if (more) break;
      }
    }
  }

  const Problem &p_;
  int ranks_;
  std::vector<Extents> shapes_; ///< all shapes of the array along a path
  std::vector<std::shared_ptr<const Distribution>> all_;
  std::size_t output_ = 0;
};

/// Dijkstra's algorithm over states: pairs of a distribution and a set of transformed axes.
class PathSearch {
public:
  PathSearch(const Problem &p, const PathNodes &nodes, const PathPrices &prices)
      : p_(p), shapes_(p), nodes_(nodes), prices_(prices), done_(1U << p.axes.size()) {
    const int ranks = p.in.ranks();
    // Estimate volumes from some ranks only. The second one is off the diagonal of a square grid:
    // if a distribution swaps rows and columns, diagonal ranks keep data, but all others send
    // everything.
    if (ranks > 16) samples_ = {0, ranks / 3 + 1, ranks - 1};
    for (int r = 0; samples_.empty() || (ranks <= 16 && r < ranks); ++r)
      samples_.push_back(r);
    const std::size_t states = nodes.size() * done_;
    costs_.assign(states, std::numeric_limits<double>::infinity());
    from_.assign(states, states);
    for (const std::size_t set : shapes_.all())
      for (std::size_t s = 0; s < nodes.size(); ++s)
        volumes_[set].push_back(volume(s, set));
  }

  Path run() {
    const std::size_t goal = state(nodes_.output(), done_ - 1);
    reach(state(0, 0), 0, 0);
    while (!queue_.empty()) {
      const auto [cost, at] = queue_.top();
      queue_.pop();
      if (at == goal) return path(goal);
      if (cost > costs_[at]) continue;
      extend(at, cost);
    }
    throw Failure(HFFT_ERROR_INTERNAL, "no path leads from the input's layout to the output's");
  }

private:
  /// Returns the index of a state: a node and a set of transformed axes.
  std::size_t state(std::size_t node, std::size_t set) const { return node * done_ + set; }

  void reach(std::size_t at, double cost, std::size_t from) {
    if (cost >= costs_[at]) return;
    costs_[at] = cost;
    from_[at] = from;
    queue_.emplace(cost, at);
  }

  /// True if the data are real: before the transform of the halved axis or, for c2r, after it.
  bool is_real(std::size_t set) const {
    if (!p_.halves()) return p_.kind == Kind::r2r;
    const bool halved = (set >> (p_.axes.size() - 1) & 1U) != 0;
    return halved == (p_.kind == Kind::c2r);
  }

  bool may_transform(std::size_t which, std::size_t set) const {
    if ((set >> which & 1U) != 0) return false;
    if (p_.four_step) return which == 0 || (set & 1U) != 0;
    const std::size_t last = p_.axes.size() - 1;
    const bool halved = (set >> last & 1U) != 0;
    if (p_.kind == Kind::r2c && which != last && !halved && !acts_on_reals(which)) return false;
    if (p_.kind == Kind::c2r && which == last)
      for (std::size_t i = 0; i < last; ++i)
        if ((set >> i & 1U) == 0 && !acts_on_reals(i)) return false;
    return !p_.deterministic || next_in_order(which, set);
  }

  /// True if the axis has a kind between reals, which may run on the real side of r2c or c2r. False
  /// for deterministic plans, because their order of axes is fixed.
  bool acts_on_reals(std::size_t which) const {
    return !p_.deterministic && p_.line_kind(p_.axes[which]) != local::LineKind::fourier;
  }

  /// True if the axis is next in the fixed order of deterministic transforms. Forward transforms go
  /// from the highest axis to the lowest, backward transforms from the lowest to the highest. A
  /// round trip therefore moves no data between its two transforms.
  bool next_in_order(std::size_t which, std::size_t set) const {
    const std::size_t free = p_.axes.size() - (p_.halves() ? 1 : 0);
    for (std::size_t i = 0; i < free && which < free; ++i)
      if ((p_.sign < 0 ? p_.axes[i] > p_.axes[which] : p_.axes[i] < p_.axes[which]) &&
          (set >> i & 1U) == 0)
        return false;
    return true;
  }

  void extend(std::size_t at, double cost) {
    const std::size_t s = at / done_;
    const std::size_t set = at % done_;
    const Extents n = shapes_.extents(set);
    for (std::size_t i = 0; i < p_.axes.size(); ++i) {
      const std::size_t more = set | std::size_t{1} << i;
      if (!may_transform(i, set) || !nodes_[s]->is_local(p_.axes[i], n)) continue;
      // A single retained mode may be on one rank while the points after the transform are on
      // several.
      const Extents then = shapes_.extents(more);
      if (!nodes_[s]->covers(then) || !nodes_[s]->is_local(p_.axes[i], then)) continue;
      reach(state(s, more), cost + volumes_.at(shapes_.of(set))[s] + late * cost, at);
    }
    for (std::size_t to = 0; to < nodes_.size(); ++to)
      if (to != s && nodes_[to]->covers(n))
        reach(state(to, set), cost + exchange_cost(s, to, shapes_.of(set)), at);
  }

  double volume(std::size_t s, std::size_t set) const {
    const Extents n = shapes_.extents(set);
    double most = 0;
    if (nodes_[s]->covers(n))
      for (const int r : samples_)
        most = std::max(most, static_cast<double>(nodes_[s]->box(r, n).points()));
    return (is_real(set) ? 0.5 : 1) * most * static_cast<double>(p_.howmany());
  }

  double exchange_cost(std::size_t from, std::size_t to, std::size_t set) {
    const auto [known, added] = exchanges_.try_emplace({from, to, set}, 0);
    if (!added) return known->second;
    const Extents n = shapes_.extents(set);
    const double real = p_.halves() && !p_.kinds.empty() ? exchanged_real : 0.5;
    const double scale = (is_real(set) ? real : 1) * static_cast<double>(p_.howmany());
    double most = 0;
    for (const int r : samples_) {
      const IndexBox before = nodes_[from]->box(r, n);
      const IndexBox after = nodes_[to]->box(r, n);
      const auto kept = static_cast<double>(intersection(before, after).points());
      const auto moved = static_cast<double>(std::max(before.points(), after.points()));
      const double messages =
          nodes_[to]->ranks_within(before, n) + nodes_[from]->ranks_within(after, n);
      most = std::max(most, scale * (prices_.wire * (moved - kept) + prices_.unmoved * moved) +
                                prices_.message * messages +
                                scale * copied(from, to, before, after, n));
    }
    return known->second = most;
  }

  /// Returns the cost of the copies on both sides of an exchange.
  double copied(std::size_t from, std::size_t to, const IndexBox &before, const IndexBox &after,
                const Extents &n) const {
    if (prices_.copy == 0) return 0;
    double points = 0;
    if (nodes_[to]->axes_cut(before, n) > 1) points += static_cast<double>(before.points());
    if (nodes_[from]->axes_cut(after, n) > 1) points += static_cast<double>(after.points());
    return prices_.copy * points;
  }

  Path path(std::size_t goal) const {
    Path result;
    std::vector<std::size_t> states{goal};
    while (states.back() != state(0, 0))
      states.push_back(from_[states.back()]);
    std::reverse(states.begin(), states.end());
    result.push_back({nodes_[0], {}, shapes_.extents(0)});
    for (std::size_t i = 1; i < states.size(); ++i) {
      const std::size_t before = states[i - 1];
      const std::size_t s = states[i] / done_;
      if (s != before / done_) {
        result.push_back({nodes_[s], {}, shapes_.extents(states[i] % done_)});
        continue;
      }
      const std::size_t bit = states[i] % done_ ^ before % done_;
      std::size_t which = 0;
      while (bit >> which != 1)
        ++which;
      result.back().axes.push_back(p_.axes[which]);
    }
    return result;
  }

  const Problem &p_;
  Shapes shapes_;
  const PathNodes &nodes_;
  PathPrices prices_;
  std::size_t done_; ///< number of sets of transformed axes
  std::vector<int> samples_;
  std::vector<double> costs_;
  std::vector<std::size_t> from_;
  std::map<std::size_t, std::vector<double>> volumes_; ///< results of volume(), by shape and node
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, double> exchanges_;
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

} // namespace

Path find_path(const Problem &problem, const PathPrices &prices) {
  return PathSearch(problem, PathNodes(problem), prices).run();
}

std::vector<Path> find_paths(const Problem &problem) {
  const PathNodes nodes(problem);
  std::vector<Path> paths;
  std::set<std::string> known;
  for (const PathPrices &prices :
       {PathPrices{}, PathPrices{3, 100, 1}, PathPrices{3, 30000, 1}, PathPrices{1, 100, 2},
        PathPrices{10, 2000, 1}, PathPrices{3, 2000, 1, 3}, shared_prices}) {
    Path path = PathSearch(problem, nodes, prices).run();
    if (known.insert(describe(path)).second) paths.push_back(std::move(path));
  }
  return paths;
}

const PathStage *planes_of(const Path &path) {
  const auto found =
      std::find_if(path.begin(), path.end(), [](const PathStage &s) { return s.planes; });
  return found == path.end() ? nullptr : &*found;
}

std::string describe(const Path &path) {
  std::string text;
  for (const PathStage &stage : path) {
    text += (text.empty() ? "" : ", ") + stage.distribution->describe() + ":";
    if (stage.planes) text += " planes";
    for (const int axis : stage.axes)
      text += " n" + std::to_string(axis);
  }
  return text;
}

} // namespace hybridfft::plan
