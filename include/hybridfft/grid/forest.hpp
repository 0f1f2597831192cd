/// \file grid/forest.hpp
/// A forest of quadtrees or octrees whose leaves are equal blocks of cells: the mesh of
/// block-structured adaptive refinement. Blocks (blocks.hpp) have values on this mesh.
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

/// A block of the mesh: its level, and its place over the box of all trees, in units of blocks of
/// this level.
struct Leaf {
  int level = 0; ///< 0 for a whole tree; each level halves the edges
  Index3 place;  ///< along i, j, k, which are z, y, x
  /// The same block.
  friend constexpr bool operator==(const Leaf &a, const Leaf &b) {
    return a.level == b.level && a.place == b.place;
  }
};

/// The trees of a forest and the size of its blocks. Axes i, j, k are z, y, x; in two dimensions
/// there is one tree and one cell along i.
struct ForestShape {
  int dimensions = 3;      ///< 2 or 3
  Index3 trees{{1, 1, 1}}; ///< number of trees along i, j, k
  std::vector<std::uint8_t>
      present{};       ///< for each tree, row-major, 0 if it is absent; empty: all exist
  Index cells = 16;    ///< cells of a block along each axis; even, at least 4
  Index halo = 2;      ///< layers of ghosts; at most half of `cells`
  int max_level = 0;   ///< finest level, 0 to 20
  Periodic periodic{}; ///< true for each periodic axis
  Index capacity = 0;  ///< slots of each rank's pools; 0: computed from free memory
};

/// A leaf and the rank to which it moves.
struct Move {
  Index leaf = 0; ///< number of the leaf along the curve
  int rank = 0;   ///< its new owner
};

/// Numbers of leaves replaced by a change of the mesh, over all ranks.
struct Changes {
  Index refined = 0;   ///< leaves that became 2^d children
  Index coarsened = 0; ///< leaves that became part of their parent
  /// True if the mesh has changed.
  bool any() const { return refined + coarsened > 0; }
};

namespace detail {
class AnyBlocks;
struct ForestState;
} // namespace detail

/// The leaves of a forest, their owners, and their slots in pools of blocks. Leaves are ordered
/// along Morton's curve: tree by tree (row-major), then depth first, with x fastest. Adjacent
/// leaves, also those that touch at edges and corners, differ by at most one level. Every rank
/// knows all leaves.
///
/// Changes of the mesh are collective. They carry the values of the Blocks passed to them; other
/// Blocks of the forest are undefined afterwards. Results do not depend on owners.
class HFFT_EXPORT Forest {
public:
  /// Makes a forest. Owners are even shares along the curve. Collective.
  /// \param comm   the ranks that share the forest; must outlive it
  /// \param shape  trees and blocks
  /// \param leaves all leaves, in any order; empty: all existing trees at level 0
  /// \throws Error(HFFT_ERROR_ARGUMENT) on all ranks for an invalid shape, and for leaves that
  /// overlap, leave gaps, lie in absent trees, exceed max_level or differ from a neighbour by more
  /// than one level
  Forest(const Communicator &comm, ForestShape shape, std::span<const Leaf> leaves = {});
  ~Forest();
  /// Moves the forest; its Blocks stay valid.
  Forest(Forest &&) noexcept;
  /// Moves the forest.
  Forest &operator=(Forest &&) noexcept;

  /// The ranks that share the forest.
  const Communicator &communicator() const;
  /// Trees and blocks, with the capacity in use.
  const ForestShape &shape() const;
  /// All leaves along the curve.
  std::span<const Leaf> leaves() const;
  /// Numbers of this rank's leaves, ascending.
  std::span<const Index> mine() const;
  /// Rank of a leaf.
  int owner(Index leaf) const;
  /// Slot in this rank's pools of an own leaf or a ghost block; -1 for other leaves.
  Index slot(Index leaf) const;
  /// Number of a leaf; no value if the forest does not have it.
  std::optional<Index> find(const Leaf &leaf) const;
  /// Numbers of the leaves in all places of equal size around a leaf: at its faces, edges and
  /// corners. Ascending, each once.
  std::vector<Index> around(Index leaf) const;
  /// Number of this rank's slots with ghost blocks.
  Index ghost_blocks() const;
  /// Number of changes of the mesh so far. Lists made for another generation are outdated.
  std::uint64_t generation() const;

  /// Refines leaves marked +1, and coarsens families of 2^d leaves that are all marked -1. Adjacent
  /// leaves stay within one level with the fewest further changes: a +1 refines neighbours if
  /// necessary, and a -1 is ignored if a neighbour forbids it. Children are created on their
  /// parent's rank; a family moves to the rank of its first member. Collective.
  /// \param marks   +1, 0 or -1 for each leaf of mine()
  /// \param carried Blocks of cells or nodes whose values are carried to the new mesh
  /// \return the numbers of changed leaves
  /// \throws Error(HFFT_ERROR_ARGUMENT) for another number of marks;
  /// Error(HFFT_ERROR_OUT_OF_MEMORY) on all ranks if a rank has too few slots, before anything
  /// changes
  template <class... B> Changes adapt(std::span<const std::int8_t> marks, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    return adapt_blocks(marks, all);
  }
  /// Moves leaves to other ranks. Collective. Throws like adapt().
  /// \param moves   moves requested by this rank; over all ranks each leaf occurs at most once
  /// \param carried Blocks whose values are carried
  template <class... B> void move(std::span<const Move> moves, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    move_blocks(moves, all);
  }
  /// Assigns each rank an even share of the curve if the largest load exceeds (1 + tolerance) times
  /// the mean. Slots then follow the curve. Collective. Throws like adapt().
  /// \param tolerance accepted excess of the largest load; negative: always assign
  /// \param weights   positive, for each leaf of mine(); empty: equal weights
  /// \param carried   Blocks whose values are carried
  /// \return true if the owners have changed
  template <class... B>
  bool balance(double tolerance, std::span<const float> weights, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    return balance_blocks(tolerance, weights, all);
  }

  /// Adds and removes leaves of a forest of one level: blocks that come and go, such as those near
  /// a moving surface. The tree of a leaf is present as long as the leaf exists. Collective. Throws
  /// like adapt().
  /// \param add     leaves created on this rank, with values 0; over all ranks each at most once
  /// \param remove  numbers of leaves of any rank; over all ranks each at most once
  /// \param carried Blocks whose other values are kept
  template <class... B>
  void set_leaves(std::span<const Leaf> add, std::span<const Index> remove, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    set_leaves_of(add, remove, all);
  }

  /// Makes only one of k successive calls of exchange() communicate. Ranks then have more ghost
  /// blocks, and compute parts of them, but send fewer messages. With each call these parts become
  /// smaller until the next message. Collective. Throws
  /// Error(HFFT_ERROR_ARGUMENT) for k < 1.
  void halo_depth(int k);
  /// Returns this number.
  int halo_depth() const;
  /// Makes the next exchange() communicate. Call it after values were changed without for_blocks().
  void touch();

  /// The forest's state, for the library's own use.
  const std::shared_ptr<detail::ForestState> &state() const { return state_; }

private:
  using Carried = std::span<detail::AnyBlocks *const>;
  Changes adapt_blocks(std::span<const std::int8_t> marks, Carried carried);
  void move_blocks(std::span<const Move> moves, Carried carried);
  void set_leaves_of(std::span<const Leaf> add, std::span<const Index> remove, Carried carried);
  bool balance_blocks(double tolerance, std::span<const float> weights, Carried carried);

  std::shared_ptr<detail::ForestState> state_;
};

} // namespace hybridfft::grid

#endif
