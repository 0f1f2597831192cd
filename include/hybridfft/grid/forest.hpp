/// \file grid/forest.hpp
/// Mesh for block-structured adaptive refinement: a forest of quadtrees or octrees whose leaves are
/// blocks with equal numbers of cells. Blocks (blocks.hpp) store values on this mesh.
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

/// A block of the mesh, given by its level and its position. Positions count blocks of this level
/// from the corner of the domain.
struct Leaf {
  int level = 0; ///< 0 for a whole tree; each level halves the block's edges
  Index3 place;  ///< position along i, j, k, which are z, y, x
  /// True if both are the same block.
  friend constexpr bool operator==(const Leaf &a, const Leaf &b) {
    return a.level == b.level && a.place == b.place;
  }
};

/// The arrangement of a forest's trees and the size of its blocks. Axes i, j, k are z, y, x. A
/// two-dimensional forest has one tree and one cell along i.
struct ForestShape {
  int dimensions = 3;      ///< 2 or 3
  Index3 trees{{1, 1, 1}}; ///< number of trees along i, j, k
  std::vector<std::uint8_t>
      present{};       ///< for each tree, row-major: 0 if it is absent; empty: all are present
  Index cells = 16;    ///< cells of a block along each axis; even, at least 4
  Index halo = 2;      ///< layers of ghosts; at most half of `cells`
  int max_level = 0;   ///< finest level, 0 to 20
  Periodic periodic{}; ///< true for each periodic axis
  Index capacity = 0;  ///< number of slots in each rank's pools; 0: computed from free memory
};

/// A leaf and the rank to which it moves.
struct Move {
  Index leaf = 0; ///< number of the leaf along the space-filling curve
  int rank = 0;   ///< its new owner
};

/// Numbers of leaves changed by Forest::adapt(), over all ranks.
struct Changes {
  Index refined = 0;   ///< leaves replaced by their 4 or 8 children
  Index coarsened = 0; ///< leaves merged into their parent
  /// True if the mesh has changed.
  bool any() const { return refined + coarsened > 0; }
};

namespace detail {
class AnyBlocks;
struct ForestState;
} // namespace detail

/// A mesh of leaves distributed over ranks. Each leaf has one owner, and a slot in the owner's
/// pools of values. Leaves are ordered along the Morton curve: trees row-major, and within a tree
/// depth first with x fastest. Leaves that touch at a face, an edge or a corner differ by at most
/// one level. Every rank stores the list of all leaves.
///
/// Functions that change the mesh are collective. They transfer the values of the Blocks passed to
/// them to the new mesh; the values of other Blocks of the forest become undefined. Results do not
/// depend on the owners of leaves.
class HFFT_EXPORT Forest {
public:
  /// Makes a forest. Each rank owns an equal share of the curve. Collective.
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
  /// The shape passed to the constructor, with the capacity in use.
  const ForestShape &shape() const;
  /// All leaves, in the order of the curve.
  std::span<const Leaf> leaves() const;
  /// Numbers of this rank's leaves, ascending.
  std::span<const Index> mine() const;
  /// Rank that owns a leaf.
  int owner(Index leaf) const;
  /// Slot of a leaf in this rank's pools, for its own leaves and ghost blocks; -1 for other leaves.
  Index slot(Index leaf) const;
  /// Number of a leaf along the curve; no value if the forest does not contain it.
  std::optional<Index> find(const Leaf &leaf) const;
  /// Returns the numbers of the leaves that cover the neighbouring positions of a leaf at its
  /// faces, edges and corners. Ascending, each once.
  std::vector<Index> around(Index leaf) const;
  /// Number of ghost blocks: copies of other ranks' leaves in this rank's pools.
  Index ghost_blocks() const;
  /// Number of changes of the mesh so far. A list of leaves is outdated if the number has changed
  /// since the list was made.
  std::uint64_t generation() const;

  /// Refines leaves marked +1, and merges families of 4 (in two dimensions) or 8 sibling leaves
  /// that are all marked -1. To keep adjacent leaves within one level, +1 may also refine
  /// neighbours, and -1 is ignored if a neighbour is too fine. The owner of a leaf creates its
  /// children; a merged family moves to the owner of its first member. Collective.
  /// \param marks   +1, 0 or -1 for each leaf of mine()
  /// \param carried Blocks of cells or nodes to transfer to the new mesh
  /// \return the numbers of changed leaves
  /// \throws Error(HFFT_ERROR_ARGUMENT) for a wrong number of marks;
  /// Error(HFFT_ERROR_OUT_OF_MEMORY) on all ranks, with the mesh unchanged, if a rank has too few
  /// slots
  template <class... B> Changes adapt(std::span<const std::int8_t> marks, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    return adapt_blocks(marks, all);
  }
  /// Moves leaves to other ranks. Collective. Throws like adapt().
  /// \param moves   moves requested by this rank; over all ranks each leaf occurs at most once
  /// \param carried Blocks whose values move with the leaves
  template <class... B> void move(std::span<const Move> moves, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    move_blocks(moves, all);
  }
  /// Redistributes the leaves if the largest load of a rank exceeds (1 + tolerance) times the mean.
  /// Each rank then owns a contiguous part of the curve with an equal share of the weights, in
  /// slots ordered along the curve. Collective. Throws like adapt().
  /// \param tolerance accepted excess of the largest load, as a fraction of the mean; negative:
  /// always redistribute
  /// \param weights positive load of each leaf of mine(); empty: equal loads
  /// \param carried Blocks whose values move with the leaves
  /// \return true if the owners have changed
  template <class... B>
  bool balance(double tolerance, std::span<const float> weights, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    return balance_blocks(tolerance, weights, all);
  }

  /// Adds and removes leaves of a forest with one level, for example to follow a moving surface.
  /// The tree of a leaf is present as long as the leaf exists. Collective. Throws like adapt().
  /// \param add leaves to create on this rank, with values 0; at most one rank may list the same
  /// leaf
  /// \param remove numbers of leaves to remove, owned by any rank; at most one rank may list the
  /// same leaf
  /// \param carried Blocks that keep the values of the other leaves
  template <class... B>
  void set_leaves(std::span<const Leaf> add, std::span<const Index> remove, B &...carried) {
    const std::array<detail::AnyBlocks *, sizeof...(B)> all{&carried...};
    set_leaves_of(add, remove, all);
  }

  /// Sends wider halos less often: of k successive calls of exchange(), only the first
  /// communicates. Each rank stores more ghost blocks and computes parts of them itself between
  /// messages; these parts shrink with each call. Collective.
  /// \throws Error(HFFT_ERROR_ARGUMENT) for k < 1
  void halo_depth(int k);
  /// Returns the k set by halo_depth(k).
  int halo_depth() const;
  /// Forces the next exchange() to communicate. Call it after writing values without for_blocks().
  void touch();

  /// State of the forest, for use within the library.
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
