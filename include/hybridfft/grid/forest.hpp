/// \file grid/forest.hpp
/// A forest of quadtrees or octrees whose leaves are equal blocks of cells: the mesh of
/// block-structured adaptive refinement. Blocks (blocks.hpp) hold values on it.
#ifndef HYBRIDFFT_GRID_FOREST_HPP
#define HYBRIDFFT_GRID_FOREST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/box.hpp"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/communicator.hpp"

namespace hybridfft::grid {

/// A block of the mesh: its level, and its place in blocks of this level over the box of all trees.
struct Leaf {
  int level = 0; ///< 0 for a whole tree; edges halve from one level to the next
  Index3 place;  ///< along i, j, k: z, y, x
  /// The same block.
  friend constexpr bool operator==(const Leaf &a, const Leaf &b) {
    return a.level == b.level && a.place == b.place;
  }
};

/// The trees of a forest and the size of its blocks. Axes i, j, k are z, y, x; in two dimensions
/// there is one tree and one cell along i.
struct ForestShape {
  int dimensions = 3;                  ///< 2 or 3
  Index3 trees{{1, 1, 1}};             ///< numbers of trees along i, j, k
  std::vector<std::uint8_t> present{}; ///< per tree, row-major: 0 if it is absent; empty: none is
  Index cells = 16;                    ///< cells of a block along each axis; even, at least 4
  Index halo = 2;                      ///< layers of ghosts; at most half of `cells`
  int max_level = 0;                   ///< finest level, 0 to 20
  Periodic periodic{};                 ///< axes whose ends are neighbours
  Index capacity = 0;                  ///< slots of each rank's pools; 0: from free memory
};

/// A leaf that changes its rank.
struct Move {
  Index leaf = 0; ///< number of the leaf along the curve
  int rank = 0;   ///< its new owner
};

/// Numbers of leaves that a change of the mesh has replaced, over all ranks.
struct Changes {
  Index refined = 0;   ///< leaves that became 2^d children
  Index coarsened = 0; ///< leaves that became part of their parent
  /// True if the mesh is another one than before.
  bool any() const { return refined + coarsened > 0; }
};

namespace detail {
class AnyBlocks;
struct ForestState;
} // namespace detail

/// The leaves of a forest, their owners, and their slots in pools of blocks. Leaves are ordered
/// along Morton's curve: tree by tree (row-major), then depth first, with x fastest. Leaves that
/// touch, also at edges and corners, differ by at most one level. Every rank knows all leaves.
///
/// Changes of the mesh are collective, and carry the values of the Blocks that they are given;
/// other Blocks of the forest are undefined afterwards. Results do not depend on owners.
class HFFT_EXPORT Forest {
public:
  /// \param comm   the ranks that share the forest; outlives it
  /// \param shape  trees and blocks
  /// \param leaves all leaves, in any order; without them all present trees at level 0
  /// Owners are even shares along the curve. Collective. Throws Error(HFFT_ERROR_ARGUMENT) on all
  /// ranks for a shape that is not allowed, and for leaves that overlap, leave gaps, lie in absent
  /// trees, exceed max_level or differ from a neighbour by more than one level.
  Forest(const Communicator &comm, ForestShape shape, std::span<const Leaf> leaves = {});
  ~Forest();
  /// Moves the forest; blocks of it stay valid.
  Forest(Forest &&) noexcept;
  /// Moves the forest.
  Forest &operator=(Forest &&) noexcept;

  /// The ranks that share the forest.
  const Communicator &communicator() const;
  /// Trees and blocks, with the capacity that is in use.
  const ForestShape &shape() const;
  /// All leaves along the curve.
  std::span<const Leaf> leaves() const;
  /// Numbers of this rank's leaves, ascending.
  std::span<const Index> mine() const;
  /// Rank of a leaf.
  int owner(Index leaf) const;
  /// Slot of a leaf in this rank's pools: of own leaves, and of ghost blocks; -1 without one.
  Index slot(Index leaf) const;
  /// Number of a leaf; nothing if the forest does not have it.
  std::optional<Index> find(const Leaf &leaf) const;
  /// Numbers of the leaves in the places of equal size around a leaf: at its faces, edges and
  /// corners. Ascending, each once.
  std::vector<Index> around(Index leaf) const;
  /// Number of slots that hold ghost blocks on this rank.
  Index ghost_blocks() const;
  /// Number of changes so far: lists made for another generation are outdated.
  std::uint64_t generation() const;

  /// Refines leaves marked +1 and coarsens families of 2^d leaves that are all marked -1, with the
  /// least change that keeps neighbours within one level: a +1 refines neighbours where it must, a
  /// -1 is refused where it must be. Children are born on their parent's rank; a family moves to
  /// the rank of its first member. \param marks   +1, 0 or -1 for each leaf of mine() \param
  /// carried Blocks of cells or nodes whose values are carried to the new mesh \return what has
  /// changed Collective. Throws Error(HFFT_ERROR_ARGUMENT) for another number of marks,
  /// Error(HFFT_ERROR_OUT_OF_MEMORY) on all ranks, before anything has changed, when slots do not
  /// suffice.
  template <class... B> Changes adapt(std::span<const std::int8_t> marks, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    return adapt_blocks(marks, all);
  }
  /// Gives leaves to other ranks.
  /// \param moves   of any rank, each leaf at most once over all ranks
  /// \param carried Blocks whose values are carried
  /// Collective. Throws as adapt().
  template <class... B> void move(std::span<const Move> moves, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    move_blocks(moves, all);
  }
  /// Gives each rank an even share of the curve, when the largest load exceeds (1 + tolerance)
  /// times the mean. Slots follow the curve afterwards. \param tolerance accepted excess of the
  /// largest load; negative: always \param weights   positive, for each leaf of mine(); empty:
  /// equal ones \param carried   Blocks whose values are carried \return true if leaves were given
  /// anew Collective. Throws as adapt().
  template <class... B>
  bool balance(double tolerance, std::span<const float> weights, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    return balance_blocks(tolerance, weights, all);
  }

  /// Sets the number of calls of exchange() of which one communicates: more ghost blocks, computed
  /// on several ranks, for fewer messages. Collective. Throws Error(HFFT_ERROR_ARGUMENT) for k < 1.
  void halo_depth(int k);
  /// Returns this number.
  int halo_depth() const;
  /// Lets the next exchange() communicate: values were changed by other means than for_blocks().
  void touch();

  /// The library's own view of it.
  const std::shared_ptr<detail::ForestState> &state() const { return state_; }

private:
  using Carried = std::span<detail::AnyBlocks *const>;
  Changes adapt_blocks(std::span<const std::int8_t> marks, Carried carried);
  void move_blocks(std::span<const Move> moves, Carried carried);
  bool balance_blocks(double tolerance, std::span<const float> weights, Carried carried);

  std::shared_ptr<detail::ForestState> state_;
};

} // namespace hybridfft::grid

#endif
