/// Builds a rank's lists for the current mesh: its ghost blocks, the points received in messages,
/// and the operations for filling ghosts and correcting fluxes.
///
/// The points needed from other ranks are found by a backward search. It starts at the rank's own
/// blocks and goes back through `depth` steps. Each step consists of a ghost exchange, a stencil
/// along the axes and a flux correction.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "grid/block_kernels.h"
#include "grid/forest_tree.h"

namespace hybridfft::grid {

using Neighbours = std::array<Neighbour, all_steps>;

/// A leaf of another rank, some of whose points this rank needs.
struct RemoteBlock {
  std::vector<std::uint8_t> cells, nodes; ///< flags of each point, ghosts included
  std::uint32_t steps = 0;                ///< set of directions with ghosts to fill, as bits
  /// Boxes of points that this rank computes as well as their owner.
  struct Updated {
    Box cells, nodes;
    std::array<Box, 3> faces; ///< faces at which fluxes are computed, by their normal axis
  };
  Updated updated;               ///< points computed after the first exchange
  std::vector<Updated> backward; ///< points computed after each exchange, the last one first
};

/// Flags of a RemoteBlock's points in the backward search. flag_wanted: the steps searched so far
/// need the point; flag_read: the current step reads it; flag_ever: any step reads the node.
enum : std::uint8_t { flag_wanted = 1, flag_read = 2, flag_ever = 4 };

/// Kinds of points used by the forest's Blocks. Lists are made only for these kinds.
struct ListUse {
  bool cells = false, nodes = false;
};

/// Numbers the points of a block, ghosts included.
struct BlockPoints {
  explicit BlockPoints(const ForestShape &shape);
  Index3 widths(bool nodes) const;
  Index elements(bool nodes) const;
  Index element(bool nodes, Index i, Index j, Index k) const;

  kernels::Shape shape;
};

/// The backward search for points of other ranks, and its result.
class BlockNeeds {
public:
  BlockNeeds(const ForestTree &tree, const std::vector<int> &owner, int rank,
             const BlockPoints &points, int depth, ListUse use);

  /// Leaves of other ranks with points needed here, ordered by number.
  const std::map<Index, RemoteBlock> &remote() const { return remote_; }
  const Neighbours &neighbours(Index leaf);
  bool is_mine(Index leaf) const { return owner_[static_cast<std::size_t>(leaf)] == rank_; }
  const ForestTree &tree() const { return *tree_; }
  const BlockPoints &points() const { return points_; }
  ListUse use() const { return use_; }
  const std::vector<Index> &mine() const { return mine_; }

  /// Source nodes for the ghost and shared nodes of a leaf. A source is given by its leaf and its
  /// element number, a target by its element number.
  struct NodeSources {
    struct NodeCopy {
      std::int32_t to;
      Index from_leaf;
      std::int32_t from;
    };
    struct NodeStencil {
      std::int32_t to;
      Index from_leaf;
      std::array<std::int32_t, 8> from;
    };
    std::vector<NodeCopy> copy, inject;
    std::vector<NodeStencil> lines;
  };
  const NodeSources &node_sources(Index leaf);
  /// Returns the leaves of a finer neighbour `n` that touch the block, as pairs (child number,
  /// leaf). `level` is the level of the block, and `step` the direction to the neighbour.
  std::vector<std::pair<int, Index>> finer(const Neighbour &n, int level, int step) const;

private:
  RemoteBlock &at(Index leaf);
  void mark_cell(Index leaf, Index i, Index j, Index k);
  void cell_round();
  void mark_faces_of_own();
  void mark_faces_of(Index leaf, RemoteBlock &block);
  void mark_face(Index leaf, int axis, const Index3 &face);
  void mark_finer_faces(Index leaf, int axis, int side, const Index3 &cell);
  void mark_ends(int axes);
  void mark_from_coarse();
  void mark_from_fine();
  void mark_copies();
  template <class F> void for_read_ghosts(Neighbour::Relation kind, const F &f);
  void node_round();
  void mark_node(Index leaf, std::int32_t element);

  const ForestTree *tree_;
  std::vector<int> owner_;
  int rank_;
  BlockPoints points_;
  ListUse use_;
  std::vector<Index> mine_;
  std::map<Index, RemoteBlock> remote_;
  std::unordered_map<Index, Neighbours> neighbours_;
  std::unordered_map<Index, NodeSources> node_sources_;
};

/// Rule for ghosts beyond the domain: the axis of mirroring, and the kind of end (0 low side, 1
/// high side, 2 absent tree).
struct EndRule {
  int axis = 0, end = 0;
};
EndRule end_rule(const ForestTree &tree, const ForestShape &shape, const Leaf &leaf,
                 const Step &step);

/// Operations for filling ghosts: first beyond faces, then beyond edges and corners.
struct GhostList {
  std::vector<kernels::GhostOp> ops;
  std::size_t faces = 0; ///< number of operations for ghosts beyond faces, the first ones in `ops`
};

/// The lists in the form read by kernels, with slots instead of leaf numbers.
struct BlockLists {
  GhostList copy, mean, coarse;
  std::array<std::vector<kernels::GhostOp>, 3>
      ends; ///< ends[n - 1]: for ghosts outside of the domain, in directions along n axes
  std::array<std::vector<kernels::FluxOp>, 3> fluxes;
  std::vector<kernels::NodeOp> node_copy, node_inject;
  std::vector<kernels::NodeLine> node_lines;
};

/// \param slot slot of each leaf, -1 for leaves without one
BlockLists make_lists(BlockNeeds &needs, const ForestShape &shape, const std::vector<Index> &slot);

} // namespace hybridfft::grid
