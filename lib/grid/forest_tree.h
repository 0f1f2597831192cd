/// The mesh topology of a forest: its leaves along the Morton curve, neighbour searches and changes
/// of levels. All ranks store the same tree. It stores no values, owners or messages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hybridfft/grid/forest.hpp"

namespace hybridfft::grid {

/// Direction to one of the 3^d - 1 neighbouring positions of a block: -1, 0 or 1 along each axis.
using Step = std::array<int, 3>;

/// Number of a direction: (di + 1) 9 + (dj + 1) 3 + dk + 1.
constexpr int number_of(const Step &step) {
  return (step[0] + 1) * 9 + (step[1] + 1) * 3 + step[2] + 1;
}
constexpr Step step_of(int number) { return {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1}; }
constexpr int all_steps = 27;
constexpr int no_step = 13;

/// The leaves that cover the neighbouring position of a block in one direction.
struct Neighbour {
  enum class Relation : std::uint8_t { outside, same, coarser, finer };
  Relation kind = Relation::outside;
  Index leaf = -1; ///< the leaf if its level is the same or coarser
  Index3 place;    ///< the neighbouring position, wrapped around periodic axes
};

class ForestTree {
public:
  ForestTree() = default;
  /// Sorts the leaves along the curve. Throws Error(HFFT_ERROR_ARGUMENT) like the constructor of
  /// Forest.
  ForestTree(const ForestShape &shape, std::span<const Leaf> leaves);

  /// Returns the same forest with other leaves. They must be sorted along the curve, and adjacent
  /// leaves must differ by at most one level.
  ForestTree with(std::vector<Leaf> leaves) const;
  /// Returns a forest with other trees present, each with one leaf of level 0.
  ForestTree with_trees(std::vector<std::uint8_t> present) const;
  /// For each tree, row-major: 1 if it is present, else 0.
  const std::vector<std::uint8_t> &present() const { return present_; }

  const std::vector<Leaf> &leaves() const { return leaves_; }
  Index size() const { return static_cast<Index>(leaves_.size()); }
  const Leaf &operator[](Index leaf) const { return leaves_[static_cast<std::size_t>(leaf)]; }

  /// Returns the number of the leaf, or -1 if the forest has no such leaf.
  Index find(const Leaf &leaf) const;
  /// Returns the leaves that cover the neighbouring position of `of` in direction `step`.
  Neighbour beside(const Leaf &of, const Step &step) const;
  /// Wraps a position around periodic axes. Returns its tree, which may be absent, or -1 if the
  /// position is outside of the domain.
  Index tree_of(int level, Index3 &place) const;
  /// Wraps a position around periodic axes. Returns false if no tree contains it.
  bool wrap(int level, Index3 &place) const;
  /// Returns child q of a block. Bits 2, 1, 0 of q choose the upper half along i, j, k.
  Leaf child(const Leaf &parent, int q) const;
  /// Returns the number of children of a block: 8, or 4 in two dimensions.
  int children() const { return 1 << dimensions_; }
  /// True for directions to another block. In two dimensions there is no direction along i.
  bool is_step(const Step &step) const {
    return number_of(step) != no_step && (dimensions_ == 3 || step[0] == 0);
  }
  /// Returns the leaves that cover the neighbouring positions of a leaf, ascending, each once.
  std::vector<Index> around(Index leaf) const;

  /// Returns the new level of each leaf, at most one level from its present one. Leaves marked for
  /// refinement are refined. More leaves are refined, and fewer coarsened than marked, only if the
  /// levels of adjacent leaves would otherwise differ by more than one. A family coarsens only if
  /// all its members may.
  std::vector<int> targets(std::span<const std::int8_t> marks) const;
  /// Returns the leaves of the changed mesh, sorted along the curve. `targets` is the result of
  /// targets(): the new level of each old leaf.
  std::vector<Leaf> changed(const std::vector<int> &targets) const;

private:
  std::vector<Leaf> roots() const;
  /// Sort key of a block: the position of its first point on the curve.
  struct Key {
    std::int64_t tree = 0;
    std::uint64_t path = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy reads a comparison with 0 into it
    friend auto operator<=>(const Key &, const Key &) = default;
  };
  Key key_of(const Leaf &leaf) const;
  std::uint64_t volume(int level) const;
  /// Returns the leaf that contains the first point of a block, or -1.
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

/// Divides the leaves, in the order of the curve, among ranks with nearly equal sums of weights.
/// Rank r owns the leaves whose weight has its midpoint in the r-th equal share of the total.
/// Returns the owner of each leaf. Without weights, all leaves count equally.
std::vector<int> partition(std::span<const float> weights, Index leaves, int ranks);

} // namespace hybridfft::grid
