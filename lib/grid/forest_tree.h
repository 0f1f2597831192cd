/// The leaves of a forest along Morton's curve: searches, neighbours and changes of levels. The
/// same on all ranks; without values, owners or messages.
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

/// The leaves at a place of the size of a block beside it.
struct Neighbour {
  enum class Relation : std::uint8_t { outside, same, coarser, finer };
  Relation kind = Relation::outside;
  Index leaf = -1; ///< the leaf of the same size, or the coarser one
  Index3 place;    ///< the place, wrapped around periodic axes
};

class ForestTree {
public:
  ForestTree() = default;
  /// Sorts the leaves along the curve. Throws Error(HFFT_ERROR_ARGUMENT) as Forest's constructor.
  ForestTree(const ForestShape &shape, std::span<const Leaf> leaves);

  /// The same trees with other leaves, sorted along the curve and within one level of neighbours.
  ForestTree with(std::vector<Leaf> leaves) const;

  const std::vector<Leaf> &leaves() const { return leaves_; }
  Index size() const { return static_cast<Index>(leaves_.size()); }
  const Leaf &operator[](Index leaf) const { return leaves_[static_cast<std::size_t>(leaf)]; }

  /// Number of the leaf; -1 without one.
  Index find(const Leaf &leaf) const;
  /// The leaves at a place of the size of `of` beside it.
  Neighbour beside(const Leaf &of, const Step &step) const;
  /// Wraps a place around periodic axes; false if no tree is there.
  bool wrap(int level, Index3 &place) const;
  /// Child number q (bits 2, 1, 0: upper half along i, j, k) of a place.
  Leaf child(const Leaf &parent, int q) const;
  /// The numbers of children that a block has: 8, or those with bit 2 unset in two dimensions.
  int children() const { return 1 << dimensions_; }
  /// Steps between blocks: along i none in two dimensions.
  bool is_step(const Step &step) const {
    return number_of(step) != no_step && (dimensions_ == 3 || step[0] == 0);
  }
  /// The leaves in the places of equal size around a leaf, ascending.
  std::vector<Index> around(Index leaf) const;

  /// The level that each leaf should have after `marks`, at most one level apart from now: the
  /// least change that keeps leaves that touch within one level. Families coarsen together or not
  /// at all.
  std::vector<int> targets(std::span<const std::int8_t> marks) const;
  /// The leaves with levels as targets() returns them; for each new leaf the old one with the same
  /// bits, its parent, or its first child.
  std::vector<Leaf> changed(const std::vector<int> &targets) const;

private:
  /// A block's first point on the curve.
  struct Key {
    std::int64_t tree = 0;
    std::uint64_t path = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy reads a comparison with 0 into it
    friend auto operator<=>(const Key &, const Key &) = default;
  };
  Key key_of(const Leaf &leaf) const;
  std::uint64_t volume(int level) const;
  /// Number of the leaf that has the first point of a block; -1 without one.
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

/// Rank of each leaf: equal weights along the curve; the middle of a leaf's weight decides.
std::vector<int> partition(std::span<const float> weights, Index leaves, int ranks);

} // namespace hybridfft::grid
