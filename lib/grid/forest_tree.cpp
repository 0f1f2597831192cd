#include "grid/forest_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "hybridfft/error.hpp"

namespace hybridfft::grid {

namespace {

std::string text(const Leaf &leaf, int dimensions) {
  std::string out = "level " + std::to_string(leaf.level) + ", place (";
  for (int a = 2; a > 2 - dimensions; --a)
    out += std::to_string(leaf.place[a]) + (a > 3 - dimensions ? ", " : ")");
  return out;
}

[[noreturn]] void refuse_forest(const std::string &what) { throw Error(HFFT_ERROR_ARGUMENT, what); }

} // namespace

ForestTree::ForestTree(const ForestShape &shape, std::span<const Leaf> leaves)
    : dimensions_(shape.dimensions), max_level_(shape.max_level), trees_(shape.trees),
      periodic_(shape.periodic), present_(shape.present), leaves_(leaves.begin(), leaves.end()) {
  check(shape);
  if (present_.empty())
    present_.assign(static_cast<std::size_t>(trees_[0] * trees_[1] * trees_[2]), 1);
  if (leaves_.empty())
    leaves_ = roots();
  else
    check_levels();
  std::ranges::sort(leaves_, {}, [this](const Leaf &leaf) { return key_of(leaf); });
  for (const Leaf &leaf : leaves_)
    keys_.push_back(key_of(leaf));
  if (!leaves.empty()) check_tiling();
}

/// Returns the present trees as leaves of level 0.
std::vector<Leaf> ForestTree::roots() const {
  std::vector<Leaf> all;
  for (Index t = 0; t < static_cast<Index>(present_.size()); ++t)
    if (present_[static_cast<std::size_t>(t)] != 0)
      all.push_back({0, {{t / (trees_[1] * trees_[2]), t / trees_[2] % trees_[1], t % trees_[2]}}});
  return all;
}

ForestTree ForestTree::with_trees(std::vector<std::uint8_t> present) const {
  ForestTree tree = with({});
  tree.present_ = std::move(present);
  return tree.with(tree.roots());
}

ForestTree ForestTree::with(std::vector<Leaf> leaves) const {
  ForestTree tree;
  tree.dimensions_ = dimensions_;
  tree.max_level_ = max_level_;
  tree.trees_ = trees_;
  tree.periodic_ = periodic_;
  tree.present_ = present_;
  tree.leaves_ = std::move(leaves);
  for (const Leaf &leaf : tree.leaves_)
    tree.keys_.push_back(key_of(leaf));
  return tree;
}

void ForestTree::check(const ForestShape &shape) const {
  if (dimensions_ != 2 && dimensions_ != 3)
    refuse_forest("a forest has " + std::to_string(dimensions_) + " dimensions, expected 2 or 3");
  for (int a = 0; a < 3; ++a)
    if (trees_[a] < 1 || (a == 0 && dimensions_ == 2 && trees_[0] != 1))
      refuse_forest("a forest has " + std::to_string(trees_[a]) + " trees along axis " +
                    std::to_string(a) + ", expected " +
                    (a == 0 && dimensions_ == 2 ? "1 in two dimensions" : "1 or more"));
  if (shape.cells < 4 || shape.cells % 2 != 0)
    refuse_forest("blocks of a forest have " + std::to_string(shape.cells) +
                  " cells along each axis, expected an even number of at least 4");
  if (shape.halo < 1 || 2 * shape.halo > shape.cells)
    refuse_forest("blocks of a forest have " + std::to_string(shape.halo) +
                  " layers of ghosts, expected 1 to " + std::to_string(shape.cells / 2));
  if (max_level_ < 0 || max_level_ > 20)
    refuse_forest("a forest has the largest level " + std::to_string(max_level_) +
                  ", expected 0 to 20");
  constexpr Index max_trees = std::numeric_limits<std::int32_t>::max();
  if (trees_[0] > max_trees || trees_[1] > max_trees || trees_[2] > max_trees ||
      trees_[0] > max_trees / trees_[1] / trees_[2])
    refuse_forest("a forest has " + std::to_string(trees_[0]) + " x " + std::to_string(trees_[1]) +
                  " x " + std::to_string(trees_[2]) + " trees, expected at most " +
                  std::to_string(max_trees));
  const Index count = trees_[0] * trees_[1] * trees_[2];
  if (!present_.empty() && static_cast<Index>(present_.size()) != count)
    refuse_forest("a forest says of " + std::to_string(present_.size()) +
                  " trees whether they are present, expected " + std::to_string(count));
  if (!present_.empty() && std::ranges::all_of(present_, [](auto p) { return p == 0; }))
    refuse_forest("a forest has no present tree, expected one at least");
}

void ForestTree::check_levels() const {
  for (const Leaf &leaf : leaves_) {
    if (leaf.level < 0 || leaf.level > max_level_)
      refuse_forest("leaf of " + text(leaf, dimensions_) + ": expected a level from 0 to " +
                    std::to_string(max_level_));
    for (int a = 0; a < 3; ++a) {
      const Index end = a == 0 && dimensions_ == 2 ? 1 : trees_[a] << leaf.level;
      if (leaf.place[a] < 0 || leaf.place[a] >= end)
        refuse_forest("leaf of " + text(leaf, dimensions_) +
                      ": the place lies outside of the trees");
    }
    Index3 place = leaf.place;
    if (!wrap(leaf.level, place))
      refuse_forest("leaf of " + text(leaf, dimensions_) + ": its tree is absent");
  }
}

void ForestTree::check_tiling() const {
  std::int64_t tree = -1;
  std::uint64_t end = volume(0);
  const auto next_tree = [&] {
    do
      ++tree;
    while (tree < static_cast<std::int64_t>(present_.size()) &&
           present_[static_cast<std::size_t>(tree)] == 0);
  };
  for (std::size_t n = 0; n < leaves_.size(); ++n) {
    if (end == volume(0)) {
      next_tree();
      end = 0;
    }
    const Key &key = keys_[n];
    if (n > 0 && key.tree == keys_[n - 1].tree &&
        key.path < keys_[n - 1].path + volume(leaves_[n - 1].level))
      refuse_forest("leaf of " + text(leaves_[n], dimensions_) + ": overlaps another leaf");
    if (key.tree != tree || key.path != end)
      refuse_forest("leaf of " + text(leaves_[n], dimensions_) + ": there is a gap before it");
    end = key.path + volume(leaves_[n].level);
  }
  if (end != volume(0))
    refuse_forest("leaf of " + text(leaves_.back(), dimensions_) + ": there is a gap after it");
  next_tree();
  if (tree != static_cast<std::int64_t>(present_.size()))
    refuse_forest("leaf of " + text(leaves_.back(), dimensions_) +
                  ": trees after it have no leaves");
  for (const Leaf &leaf : leaves_)
    for (int d = 0; d < all_steps; ++d) {
      if (!is_step(step_of(d))) continue;
      const Neighbour beside_it = beside(leaf, step_of(d));
      if (beside_it.kind == Neighbour::Relation::coarser &&
          (*this)[beside_it.leaf].level < leaf.level - 1)
        refuse_forest("leaf of " + text(leaf, dimensions_) + ": touches a leaf of level " +
                      std::to_string((*this)[beside_it.leaf].level) +
                      ", expected at most one level less");
    }
}

std::uint64_t ForestTree::volume(int level) const {
  return std::uint64_t{1} << (dimensions_ * (max_level_ - level));
}

ForestTree::Key ForestTree::key_of(const Leaf &leaf) const {
  Key key;
  for (int a = 0; a < 3; ++a)
    key.tree = key.tree * trees_[a] + (leaf.place[a] >> leaf.level);
  for (int b = 0; b < leaf.level; ++b)
    for (int a = 3 - dimensions_; a < 3; ++a)
      key.path |= static_cast<std::uint64_t>(leaf.place[a] >> b & 1)
                  << (dimensions_ * (b + max_level_ - leaf.level) + 2 - a);
  return key;
}

Index ForestTree::containing(const Leaf &block) const {
  const Key key = key_of(block);
  const auto after = std::ranges::upper_bound(keys_, key);
  if (after == keys_.begin()) return -1;
  const auto n = static_cast<Index>(after - keys_.begin()) - 1;
  const Key &found = keys_[static_cast<std::size_t>(n)];
  return found.tree == key.tree && key.path < found.path + volume((*this)[n].level) ? n : -1;
}

Index ForestTree::find(const Leaf &leaf) const {
  if (leaf.level < 0 || leaf.level > max_level_) return -1;
  const Index n = containing(leaf);
  return n >= 0 && (*this)[n] == leaf ? n : -1;
}

Index ForestTree::tree_of(int level, Index3 &place) const {
  Index tree = 0;
  for (int a = 0; a < 3; ++a) {
    const Index size = a < 3 - dimensions_ ? 1 : trees_[a] << level;
    const bool inside = place[a] >= 0 && place[a] < size;
    if (!inside && !periodic_[static_cast<std::size_t>(a)]) return -1;
    place[a] = ((place[a] % size) + size) % size;
    tree = tree * trees_[a] + (a < 3 - dimensions_ ? 0 : place[a] >> level);
  }
  return tree;
}

bool ForestTree::wrap(int level, Index3 &place) const {
  const Index tree = tree_of(level, place);
  return tree >= 0 && present_[static_cast<std::size_t>(tree)] != 0;
}

Neighbour ForestTree::beside(const Leaf &of, const Step &step) const {
  Neighbour n;
  n.place = of.place;
  for (std::size_t a = 0; a < 3; ++a)
    n.place[static_cast<int>(a)] += step[a];
  if (!wrap(of.level, n.place)) return n;
  n.leaf = containing({of.level, n.place});
  if (n.leaf < 0) return n;
  const int level = (*this)[n.leaf].level;
  n.kind = level == of.level  ? Neighbour::Relation::same
           : level < of.level ? Neighbour::Relation::coarser
                              : Neighbour::Relation::finer;
  return n;
}

Leaf ForestTree::child(const Leaf &parent, int q) const {
  Leaf leaf{parent.level + 1, parent.place};
  for (int a = 3 - dimensions_; a < 3; ++a)
    leaf.place[a] = 2 * parent.place[a] + (q >> (2 - a) & 1);
  return leaf;
}

std::vector<Index> ForestTree::around(Index leaf) const {
  std::vector<Index> found;
  const Leaf &self = (*this)[leaf];
  for (int d = 0; d < all_steps; ++d) {
    if (!is_step(step_of(d))) continue;
    const Neighbour n = beside(self, step_of(d));
    if (n.kind == Neighbour::Relation::outside) continue;
    found.push_back(n.leaf);
    if (n.kind != Neighbour::Relation::finer) continue;
    // The descendants of this position are consecutive on the curve, starting at its first point.
    const Key first = key_of({self.level, n.place});
    for (Index m = n.leaf + 1; m < size(); ++m) {
      const Key &key = keys_[static_cast<std::size_t>(m)];
      if (key.tree != first.tree || key.path >= first.path + volume(self.level)) break;
      found.push_back(m);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::uint32_t ForestTree::family_members(Index leaf) const {
  const Leaf &l = (*this)[leaf];
  if (l.level == 0) return 0;
  for (int a = 3 - dimensions_; a < 3; ++a)
    if ((l.place[a] & 1) != 0) return 0;
  const auto count = static_cast<Index>(children());
  if (leaf + count > size()) return 0;
  for (Index m = leaf; m < leaf + count; ++m)
    if ((*this)[m].level != l.level) return 0;
  return static_cast<std::uint32_t>(count);
}

void ForestTree::keep_families(std::vector<int> &want) const {
  const auto coarsens = [&](std::size_t n) { return want[n] < leaves_[n].level; };
  for (std::size_t n = 0; n < leaves_.size();) {
    const std::size_t members = family_members(static_cast<Index>(n));
    bool all = members > 0;
    for (std::size_t m = n; m < n + members; ++m)
      all = all && coarsens(m);
    const std::size_t end = n + std::max<std::size_t>(members, 1);
    for (; n < end; ++n)
      if (!all && coarsens(n)) want[n] = leaves_[n].level;
  }
}

std::vector<int> ForestTree::targets(std::span<const std::int8_t> marks) const {
  std::vector<int> want(leaves_.size());
  for (std::size_t n = 0; n < leaves_.size(); ++n)
    want[n] = std::clamp(leaves_[n].level + marks[n], 0, max_level_);
  // Refined leaves constrain their neighbours: these must refine too if they are too coarse. A leaf
  // can coarsen only if no neighbour is too fine.
  std::vector<std::vector<Index>> beside_of(leaves_.size());
  const auto neighbours = [&](std::size_t n) -> const std::vector<Index> & {
    std::vector<Index> &list = beside_of[n];
    if (list.empty())
      for (int d = 0; d < all_steps; ++d) {
        if (!is_step(step_of(d))) continue;
        const Neighbour beside_it = beside(leaves_[n], step_of(d));
        if (beside_it.kind == Neighbour::Relation::same ||
            beside_it.kind == Neighbour::Relation::coarser)
          list.push_back(beside_it.leaf);
      }
    return list;
  };
  for (bool changing = true; changing;) {
    const std::vector<int> before = want;
    keep_families(want);
    const bool coarsens =
        std::ranges::any_of(leaves_, [&, n = std::size_t{0}](const Leaf &leaf) mutable {
          return want[n++] < leaf.level;
        });
    const std::vector<int> now = want;
    for (std::size_t n = 0; n < leaves_.size(); ++n) {
      if (now[n] < leaves_[n].level || (!coarsens && now[n] == leaves_[n].level)) continue;
      for (const Index t : neighbours(n))
        want[static_cast<std::size_t>(t)] = std::max(want[static_cast<std::size_t>(t)], now[n] - 1);
    }
    changing = want != before;
  }
  return want;
}

std::vector<Leaf> ForestTree::changed(const std::vector<int> &targets) const {
  std::vector<Leaf> all;
  for (std::size_t n = 0; n < leaves_.size(); ++n) {
    const Leaf &leaf = leaves_[n];
    if (targets[n] == leaf.level) all.push_back(leaf);
    if (targets[n] > leaf.level)
      for (int q = 0; q < children(); ++q)
        all.push_back(child(leaf, q));
    if (targets[n] >= leaf.level) continue;
    Leaf parent{leaf.level - 1, leaf.place};
    bool first = true;
    for (int a = 3 - dimensions_; a < 3; ++a) {
      first = first && (leaf.place[a] & 1) == 0;
      parent.place[a] = leaf.place[a] / 2;
    }
    if (first) all.push_back(parent);
  }
  return all;
}

std::vector<int> partition(std::span<const float> weights, Index leaves, int ranks) {
  std::vector<int> owner(static_cast<std::size_t>(leaves));
  double total = 0;
  for (Index n = 0; n < leaves; ++n)
    total += weights.empty() ? 1. : static_cast<double>(weights[static_cast<std::size_t>(n)]);
  double before = 0;
  for (std::size_t n = 0; n < owner.size(); ++n) {
    const double w = weights.empty() ? 1. : static_cast<double>(weights[n]);
    owner[n] = std::min(ranks - 1, static_cast<int>((before + w / 2) * ranks / total));
    before += w;
  }
  return owner;
}

} // namespace hybridfft::grid
