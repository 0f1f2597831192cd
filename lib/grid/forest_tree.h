/// The leaves of a forest along Morton's curve: searches, neighbours and changes of levels. All
/// ranks have the same tree. It knows neither values nor owners nor messages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hybridfft/grid/forest.hpp"

namespace hybridfft::grid {

/// A step to one of the 3^d - 1 places around a block, -1, 0 or 1 along each axis.
using Step = std::array<int, 3>;

/// Number of a step: (di + 1) 9 + (dj + 1) 3 + dk + 1.
constexpr int number_of(const Step &step) {
  return (step[0] + 1) * 9 + (step[1] + 1) * 3 + step[2] + 1;
}
constexpr Step step_of(int number) { return {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1}; }
constexpr int all_steps = 27;
constexpr int no_step = 13;

/// The leaf or leaves beside a block: in the place of equal size in one direction.
struct Neighbour {
  enum class Relation : std::uint8_t { outside, same, coarser, finer };
  Relation kind = Relation::outside;
  Index leaf = -1; ///< the leaf of equal size, or the coarser one
  Index3 place;    ///< the place, wrapped around periodic axes
};

class ForestTree {
public:
  ForestTree() = default;
  /// Sorts the leaves along the curve. Throws Error(HFFT_ERROR_ARGUMENT) like Forest's constructor.
  ForestTree(const ForestShape &shape, std::span<const Leaf> leaves);

  /// Returns the same trees with other leaves. The leaves must be sorted along the curve, and
  /// adjacent ones must differ by at most one level.
  ForestTree with(std::vector<Leaf> leaves) const;
  /// Returns other trees, each with one leaf of level 0.
  ForestTree with_trees(std::vector<std::uint8_t> present) const;
  /// For each tree 1 if it exists, row-major.
  const std::vector<std::uint8_t> &present() const { return present_; }

  const std::vector<Leaf> &leaves() const { return leaves_; }
  Index size() const { return static_cast<Index>(leaves_.size()); }
  const Leaf &operator[](Index leaf) const { return leaves_[static_cast<std::size_t>(leaf)]; }

  /// Returns the number of the leaf, or -1 if the forest has no such leaf.
  Index find(const Leaf &leaf) const;
  /// Returns the leaves in the place of equal size beside `of`.
  Neighbour beside(const Leaf &of, const Step &step) const;
  /// Wraps a place around periodic axes, and returns the tree, which may be absent, or -1 for a
  /// place outside of the box.
  Index tree_of(int level, Index3 &place) const;
  /// Wraps a place around periodic axes. Returns false if the place lies in no tree.
  bool wrap(int level, Index3 &place) const;
  /// Returns child q of a place. Bits 2, 1, 0 of q choose the upper half along i, j, k.
  Leaf child(const Leaf &parent, int q) const;
  /// Returns the number of children of a block: 8, or 4 in two dimensions.
  int children() const { return 1 << dimensions_; }
  /// True for steps to another block. In two dimensions there is no step along i.
  bool is_step(const Step &step) const {
    return number_of(step) != no_step && (dimensions_ == 3 || step[0] == 0);
  }
  /// Returns the leaves in all places of equal size around a leaf, in ascending order.
  std::vector<Index> around(Index leaf) const;

  /// Returns the new level of each leaf for `marks`, at most one level from the present one. The
  /// changes beyond the marks are the fewest that keep adjacent leaves within one level. Families
  /// coarsen together or not at all.
  std::vector<int> targets(std::span<const std::int8_t> marks) const;
  /// Returns the leaves with levels from targets(), and sets the origin of each: the same leaf, its
  /// parent or its first child.
  std::vector<Leaf> changed(const std::vector<int> &targets) const;

private:
  std::vector<Leaf> roots() const;
  /// The first point of a block on the curve.
  struct Key {
    std::int64_t tree = 0;
    std::uint64_t path = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy reads a comparison with 0 into it
    friend auto operator<=>(const Key &, const Key &) = default;
  };
  Key key_of(const Leaf &leaf) const;
  std::uint64_t volume(int level) const;
  /// Returns the leaf with the first point of a block, or -1.
  Index containing(const Leaf &block) const;
  void check(const ForestShape &shape) const;
  void check_tiling() const;
  void check_levels() const;
  std::uint32_t family_members(Index leaf) const;
  void keep_families(std::vector<int> &want) const;

  int dimensions_ = 3, max_level_ = 0;
  Index3 trees_;
  Periodic periodic_{};
  std::vector<std::uint8_t> present_;
  std::vector<Leaf> leaves_;
  std::vector<Key> keys_;
};

/// Divides the leaves, in the order of the space-filling curve, among ranks with almost equal sums
/// of weights. Returns the owner of each leaf: the rank whose share of the total weight contains
/// the midpoint of the leaf's weight. Without weights all leaves count equally.
std::vector<int> partition(std::span<const float> weights, Index leaves, int ranks);

} // namespace hybridfft::grid
