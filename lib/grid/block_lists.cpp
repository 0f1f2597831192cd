#include "grid/block_lists.h"

#include <algorithm>
#include <utility>

namespace hybridfft::grid {

namespace {

/// Calls f(i, j, k) for all points of a box.
template <class F> void for_box(const Box &box, const F &f) {
  for (Index i = box.lo[0]; i < box.hi[0]; ++i)
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
      for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        f(i, j, k);
}

/// Number of axes along which a step leads to another block: 1 for faces, 2 for edges, 3 for
/// corners.
int axes_of(int step) {
  int axes = 0;
  for (int a = 0; a < 3; ++a)
    axes += kernels::along(step, a) != 0 ? 1 : 0;
  return axes;
}

/// Bounding box of two boxes.
Box with(const Box &box, const Box &other) {
  if (box.empty()) return other;
  Box both = box;
  for (int a = 0; a < 3; ++a) {
    both.lo[a] = std::min(box.lo[a], other.lo[a]);
    both.hi[a] = std::max(box.hi[a], other.hi[a]);
  }
  return both;
}

/// Box of one point.
Box point(const Index3 &p) { return Box(p, {{p[0] + 1, p[1] + 1, p[2] + 1}}); }

/// Number of the child at this place within its parent: a bit for each axis, 1 in the upper half.
int half_bits(const Index3 &place) {
  return static_cast<int>((place[0] & 1) << 2 | (place[1] & 1) << 1 | (place[2] & 1));
}

} // namespace

BlockPoints::BlockPoints(const ForestShape &s) {
  shape.first_axis = 3 - s.dimensions;
  for (int a = 0; a < 3; ++a) {
    const bool flat = a < shape.first_axis;
    shape.cells[a] = flat ? 1 : s.cells;
    shape.ghosts[a] = flat ? 0 : s.halo;
  }
}

Index3 BlockPoints::widths(bool nodes) const {
  Index3 w;
  for (int a = 0; a < 3; ++a)
    w[a] = shape.cells[a] + 2 * shape.ghosts[a] + (nodes && a >= shape.first_axis ? 1 : 0);
  return w;
}

Index BlockPoints::elements(bool nodes) const {
  const Index3 w = widths(nodes);
  return w[0] * w[1] * w[2];
}

Index BlockPoints::element(bool nodes, Index i, Index j, Index k) const {
  const Index3 w = widths(nodes);
  return ((i + shape.ghosts[0]) * w[1] + j + shape.ghosts[1]) * w[2] + k + shape.ghosts[2];
}

BlockNeeds::BlockNeeds(const ForestTree &tree, const std::vector<int> &owner, int rank,
                       const BlockPoints &points, int depth, ListUse use)
    : tree_(&tree), owner_(owner), rank_(rank), points_(points), use_(use) {
  for (Index n = 0; n < tree.size(); ++n)
    if (is_mine(n)) mine_.push_back(n);
  for (int round = 0; round < depth; ++round) {
    if (use.cells) cell_round();
    if (use.nodes) node_round();
    for (auto &[leaf, block] : remote_) {
      block.backward.resize(static_cast<std::size_t>(round));
      block.backward.push_back(block.updated);
    }
  }
}

const Neighbours &BlockNeeds::neighbours(Index leaf) {
  const auto [entry, is_new] = neighbours_.try_emplace(leaf);
  if (is_new)
    for (int d = 0; d < all_steps; ++d)
      if (tree_->is_step(step_of(d)))
        entry->second[static_cast<std::size_t>(d)] = tree_->beside((*tree_)[leaf], step_of(d));
  return entry->second;
}

std::vector<std::pair<int, Index>> BlockNeeds::finer(const Neighbour &n, int level,
                                                     int step) const {
  std::vector<std::pair<int, Index>> found;
  for (int q = 0; q < tree_->children(); ++q) {
    bool touches = true;
    for (int a = 0; a < 3; ++a) {
      const int d = kernels::along(step, a);
      touches = touches && (d == 0 || kernels::bit(q, a) == (d < 0 ? 1 : 0));
    }
    if (touches) found.emplace_back(q, tree_->find(tree_->child({level, n.place}, q)));
  }
  return found;
}

RemoteBlock &BlockNeeds::at(Index leaf) {
  RemoteBlock &block = remote_[leaf];
  if (block.cells.empty() && use_.cells)
    block.cells.resize(static_cast<std::size_t>(points_.elements(false)));
  if (block.nodes.empty() && use_.nodes)
    block.nodes.resize(static_cast<std::size_t>(points_.elements(true)));
  return block;
}

void BlockNeeds::mark_cell(Index leaf, Index i, Index j, Index k) {
  if (is_mine(leaf)) return;
  at(leaf).cells[static_cast<std::size_t>(points_.element(false, i, j, k))] |= flag_read;
}

void BlockNeeds::mark_face(Index leaf, int axis, const Index3 &face) {
  if (is_mine(leaf)) return;
  RemoteBlock &block = at(leaf);
  Box &box = block.updated.faces[static_cast<std::size_t>(axis)];
  box = with(box, point(face));
  const Index g = points_.shape.ghosts[axis];
  Index3 c = face;
  for (Index s = -g; s < g; ++s) {
    c[axis] = face[axis] + s;
    block.cells[static_cast<std::size_t>(points_.element(false, c[0], c[1], c[2]))] |= flag_read;
  }
}

/// Marks the faces of a finer neighbour that cover the face of a coarse cell on side `side` of its
/// block. Flux correction reads them.
void BlockNeeds::mark_finer_faces(Index leaf, int axis, int side, const Index3 &cell) {
  Step step{0, 0, 0};
  step[static_cast<std::size_t>(axis)] = side == 0 ? -1 : 1;
  const Neighbour &n = neighbours(leaf)[static_cast<std::size_t>(number_of(step))];
  int child = 0;
  Index3 face;
  for (int a = points_.shape.first_axis; a < 3; ++a) {
    const Index cells = points_.shape.cells[a];
    const bool upper = a == axis ? side == 0 : 2 * cell[a] >= cells;
    child |= (upper ? 1 : 0) << (2 - a);
    face[a] = a == axis ? (side == 0 ? cells : 0) : 2 * cell[a] - (upper ? cells : 0);
  }
  const Index fine = tree_->find(tree_->child({(*tree_)[leaf].level, n.place}, child));
  Box faces = point(face);
  for (int a = points_.shape.first_axis; a < 3; ++a)
    if (a != axis) ++faces.hi[a];
  for_box(faces, [&](Index i, Index j, Index k) { mark_face(fine, axis, {{i, j, k}}); });
}

void BlockNeeds::mark_faces_of_own() {
  const kernels::Shape &s = points_.shape;
  for (const Index leaf : mine_)
    for (int axis = s.first_axis; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        Step step{0, 0, 0};
        step[static_cast<std::size_t>(axis)] = side == 0 ? -1 : 1;
        const auto number = static_cast<std::size_t>(number_of(step));
        const Neighbour &n = neighbours(leaf)[number];
        if (n.kind != Neighbour::Relation::finer) continue;
        const auto children = finer(n, (*tree_)[leaf].level, static_cast<int>(number));
        if (std::ranges::all_of(children, [&](const auto &c) { return is_mine(c.second); }))
          continue;
        Box layer(Index3{}, s.cells);
        layer.lo[axis] = side == 0 ? 0 : s.cells[axis] - 1;
        layer.hi[axis] = layer.lo[axis] + 1;
        for_box(layer, [&](Index i, Index j, Index k) {
          mark_finer_faces(leaf, axis, side, {{i, j, k}});
        });
      }
}

void BlockNeeds::mark_faces_of(Index leaf, RemoteBlock &block) {
  const kernels::Shape &s = points_.shape;
  const std::vector<std::uint8_t> cells = block.cells;
  const Neighbours beside = neighbours(leaf);
  for_box(Box(Index3{}, s.cells), [&](Index i, Index j, Index k) {
    if ((cells[static_cast<std::size_t>(points_.element(false, i, j, k))] & flag_wanted) == 0)
      return;
    const Index3 cell{{i, j, k}};
    block.updated.cells = with(block.updated.cells, point(cell));
    for (int axis = s.first_axis; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        Index3 face = cell;
        face[axis] += side;
        Step step{0, 0, 0};
        step[static_cast<std::size_t>(axis)] = side == 0 ? -1 : 1;
        const bool at_side = face[axis] == (side == 0 ? 0 : s.cells[axis]);
        if (at_side &&
            beside[static_cast<std::size_t>(number_of(step))].kind == Neighbour::Relation::finer)
          mark_finer_faces(leaf, axis, side, cell);
        mark_face(leaf, axis, face);
      }
  });
}

/// Calls f(leaf, neighbour, step, ghost) for each required ghost that has a neighbour of this kind
/// as its source. A ghost of an own block is required if this neighbour is finer. It is also
/// required if the neighbour has the same or a coarser level and belongs to another rank. A ghost
/// of a remote block is required if it is marked.
template <class F> void BlockNeeds::for_read_ghosts(Neighbour::Relation kind, const F &f) {
  std::vector<Index> leaves = mine_;
  for (const auto &[leaf, block] : remote_)
    leaves.push_back(leaf);
  for (const Index leaf : leaves) {
    const Neighbours beside = neighbours(leaf);
    const bool own = is_mine(leaf);
    for (int d = 0; d < all_steps; ++d) {
      if (!tree_->is_step(step_of(d)) || beside[static_cast<std::size_t>(d)].kind != kind) continue;
      if (own && kind != Neighbour::Relation::finer &&
          (kind == Neighbour::Relation::outside ||
           is_mine(beside[static_cast<std::size_t>(d)].leaf)))
        continue;
      for_box(kernels::ghosts_of(points_.shape, d), [&](Index i, Index j, Index k) {
        if (!own) {
          RemoteBlock &block = remote_.at(leaf);
          const auto e = static_cast<std::size_t>(points_.element(false, i, j, k));
          if ((block.cells[e] & flag_read) == 0) return;
          block.steps |= 1U << d;
        }
        f(leaf, beside[static_cast<std::size_t>(d)], d, Index3{{i, j, k}});
      });
    }
  }
}

void BlockNeeds::mark_from_coarse() {
  const kernels::Shape &s = points_.shape;
  for_read_ghosts(Neighbour::Relation::coarser,
                  [&](Index, const Neighbour &n, int step, const Index3 &ghost) {
                    Index3 c;
                    for (int a = s.first_axis; a < 3; ++a)
                      c[a] = (ghost[a] - kernels::along(step, a) * s.cells[a]) / 2 +
                             (n.place[a] & 1) * (s.cells[a] / 2);
                    mark_cell(n.leaf, c[0], c[1], c[2]);
                    for (int a = s.first_axis; a < 3; ++a)
                      for (const Index e : {-1, 1}) {
                        Index3 at_side = c;
                        at_side[a] += e;
                        mark_cell(n.leaf, at_side[0], at_side[1], at_side[2]);
                      }
                  });
}

void BlockNeeds::mark_from_fine() {
  const kernels::Shape &s = points_.shape;
  for_read_ghosts(Neighbour::Relation::finer, [&](Index leaf, const Neighbour &n, int step,
                                                  const Index3 &ghost) {
    Index3 first, twice{{0, 0, 0}};
    int child = 0;
    for (int a = s.first_axis; a < 3; ++a) {
      const Index at = 2 * (ghost[a] - kernels::along(step, a) * s.cells[a]);
      const bool upper = at >= s.cells[a];
      child |= (upper ? 1 : 0) << (2 - a);
      first[a] = at - (upper ? s.cells[a] : 0);
      twice[a] = 1;
    }
    const Index fine = tree_->find(tree_->child({(*tree_)[leaf].level, n.place}, child));
    for_box(
        Box(first, {{first[0] + twice[0] + 1, first[1] + twice[1] + 1, first[2] + twice[2] + 1}}),
        [&](Index i, Index j, Index k) { mark_cell(fine, i, j, k); });
  });
}

void BlockNeeds::mark_copies() {
  const kernels::Shape &s = points_.shape;
  for_read_ghosts(Neighbour::Relation::same,
                  [&](Index, const Neighbour &n, int step, const Index3 &ghost) {
                    Index3 c = ghost;
                    for (int a = s.first_axis; a < 3; ++a)
                      c[a] -= kernels::along(step, a) * s.cells[a];
                    mark_cell(n.leaf, c[0], c[1], c[2]);
                  });
}

/// Marks the cells from which ghosts outside of the domain are computed: the mirror image of the
/// ghost, and the outermost cell, in the same block.
/// \param axes selects the ghosts: 1 beyond faces, 2 beyond edges, 3 beyond corners of the block
void BlockNeeds::mark_ends(int axes) {
  const kernels::Shape &s = points_.shape;
  for_read_ghosts(Neighbour::Relation::outside,
                  [&](Index leaf, const Neighbour &, int step, const Index3 &ghost) {
                    if (axes_of(step) != axes) return;
                    for (int a = s.first_axis; a < 3; ++a) {
                      if (kernels::along(step, a) == 0) continue;
                      Index3 mirrored = ghost, clamped = ghost;
                      mirrored[a] = ghost[a] < 0 ? -1 - ghost[a] : 2 * s.cells[a] - 1 - ghost[a];
                      clamped[a] = ghost[a] < 0 ? 0 : s.cells[a] - 1;
                      mark_cell(leaf, mirrored[0], mirrored[1], mirrored[2]);
                      mark_cell(leaf, clamped[0], clamped[1], clamped[2]);
                    }
                  });
}

void BlockNeeds::cell_round() {
  std::vector<Index> before;
  for (const auto &[leaf, block] : remote_)
    before.push_back(leaf);
  mark_faces_of_own();
  for (const Index leaf : before)
    mark_faces_of(leaf, remote_.at(leaf));
  for (auto &[leaf, block] : remote_)
    for (std::uint8_t &flags : block.cells)
      if ((flags & flag_wanted) != 0) flags |= flag_read;
  const int axes = 3 - points_.shape.first_axis;
  for (int k = axes; k > 1; --k)
    mark_ends(k);
  mark_from_coarse();
  mark_ends(1);
  mark_from_fine();
  mark_copies();
  for (auto &entry : remote_) {
    RemoteBlock &block = entry.second;
    for_box(Box(Index3{}, points_.shape.cells), [&](Index i, Index j, Index k) {
      std::uint8_t &flags = block.cells[static_cast<std::size_t>(points_.element(false, i, j, k))];
      if ((flags & flag_read) != 0) flags |= flag_wanted;
    });
    for (std::uint8_t &flags : block.cells)
      flags = static_cast<std::uint8_t>(flags & ~flag_read);
  }
}

const BlockNeeds::NodeSources &BlockNeeds::node_sources(Index leaf) {
  const auto [entry, is_new] = node_sources_.try_emplace(leaf);
  NodeSources &out = entry->second;
  if (!is_new) return out;
  const kernels::Shape &s = points_.shape;
  const int first = s.first_axis;
  const Leaf &self = (*tree_)[leaf];
  const Neighbours beside = neighbours(leaf);
  const auto element = [&](const Index3 &p) {
    return static_cast<std::int32_t>(points_.element(true, p[0], p[1], p[2]));
  };
  Box all;
  for (int a = 0; a < 3; ++a) {
    all.lo[a] = -s.ghosts[a];
    all.hi[a] = s.cells[a] + s.ghosts[a] + (a >= first ? 1 : 0);
  }
  struct Best {
    Index leaf = -1;
    Index3 node;
  };
  for_box(all, [&](Index i, Index j, Index k) {
    const Index3 node{{i, j, k}};
    bool within = true;
    for (int a = first; a < 3; ++a)
      within = within && node[a] > 0 && node[a] < s.cells[a];
    if (within) return;
    std::array<Best, 3> best; // by level: coarser, same, finer
    const auto take = [&](std::size_t kind, Index found, const Index3 &at) {
      if (found >= 0 && (best[kind].leaf < 0 || found < best[kind].leaf)) best[kind] = {found, at};
    };
    for (int e = 0; e < tree_->children(); ++e) {
      // Finds the leaf that touches the node in direction e. A bit of e is 1 for the low side of an
      // axis. The leaf covers the cell of the next finer level that touches the node there. This
      // cell is in the block itself or in a neighbouring position.
      Index3 half; // for each axis, the half of its position that contains the finer cell
      Step step{0, 0, 0};
      Index3 local = node;
      for (int a = first; a < 3; ++a) {
        const Index n = s.cells[a],
                    cell = 2 * node[a] - kernels::bit(e, a); // index of the finer cell
        step[static_cast<std::size_t>(a)] = cell < 0 ? -1 : cell >= 2 * n ? 1 : 0;
        local[a] = node[a] - step[static_cast<std::size_t>(a)] * n;
        half[a] = cell - step[static_cast<std::size_t>(a)] * 2 * n >= n ? 1 : 0;
      }
      const int number = number_of(step);
      if (number == no_step) {
        take(1, leaf, local);
        continue;
      }
      const Neighbour &n = beside[static_cast<std::size_t>(number)];
      if (n.kind == Neighbour::Relation::same) take(1, n.leaf, local);
      if (n.kind == Neighbour::Relation::coarser) {
        Index3 at = local; // in nodes of this level, counted from the coarser leaf's first node
        for (int a = first; a < 3; ++a)
          at[a] += (n.place[a] & 1) * s.cells[a];
        take(0, n.leaf, at);
      }
      if (n.kind == Neighbour::Relation::finer) {
        const int child = half_bits(half);
        Index3 at = local;
        for (int a = first; a < 3; ++a)
          at[a] = 2 * local[a] - half[a] * s.cells[a];
        take(2, tree_->find(tree_->child({self.level, n.place}, child)), at);
      }
    }
    const std::int32_t to = element(node);
    if (best[2].leaf >= 0) {
      out.inject.push_back({to, best[2].leaf, element(best[2].node)});
    } else if (best[1].leaf >= 0) {
      const std::int32_t from = element(best[1].node);
      if (best[1].leaf != leaf || from != to) out.copy.push_back({to, best[1].leaf, from});
    } else if (best[0].leaf >= 0) {
      NodeSources::NodeStencil line{to, best[0].leaf, {}};
      for (int q = 0; q < tree_->children(); ++q) {
        Index3 at = best[0].node;
        for (int a = first; a < 3; ++a)
          at[a] = (at[a] + kernels::bit(q, a)) / 2;
        line.from[static_cast<std::size_t>(q)] = element(at);
      }
      out.lines.push_back(line);
    }
  });
  return out;
}

void BlockNeeds::mark_node(Index leaf, std::int32_t element) {
  if (is_mine(leaf)) return;
  at(leaf).nodes[static_cast<std::size_t>(element)] |= flag_read | flag_ever;
}

void BlockNeeds::node_round() {
  const kernels::Shape &s = points_.shape;
  const Index3 widths = points_.widths(true);
  const Index strides[3] = {widths[1] * widths[2], widths[2], 1};
  Box inner(Index3{}, s.cells);
  for (int a = s.first_axis; a < 3; ++a)
    ++inner.hi[a];
  std::vector<Index> leaves;
  for (auto &[leaf, block] : remote_) {
    leaves.push_back(leaf);
    const std::vector<std::uint8_t> nodes = block.nodes;
    for_box(inner, [&, &block = block](Index i, Index j, Index k) {
      const Index e = points_.element(true, i, j, k);
      if ((nodes[static_cast<std::size_t>(e)] & flag_wanted) == 0) return;
      block.updated.nodes = with(block.updated.nodes, point({{i, j, k}}));
      for (int a = s.first_axis; a < 3; ++a)
        for (Index d = -s.ghosts[a]; d <= s.ghosts[a]; ++d)
          block.nodes[static_cast<std::size_t>(e + d * strides[a])] |= flag_read | flag_ever;
    });
  }
  const auto read = [&](Index leaf, std::int32_t to) {
    return is_mine(leaf) || (remote_.at(leaf).nodes[static_cast<std::size_t>(to)] & flag_read) != 0;
  };
  const auto with_mine = [&] {
    std::vector<Index> all = mine_;
    for (const auto &[leaf, block] : remote_)
      all.push_back(leaf);
    return all;
  };
  for (const Index leaf : with_mine()) {
    const NodeSources sources = node_sources(leaf);
    for (const NodeSources::NodeStencil &line : sources.lines)
      if (read(leaf, line.to))
        for (int q = 0; q < tree_->children(); ++q)
          mark_node(line.from_leaf, line.from[static_cast<std::size_t>(q)]);
  }
  for (const Index leaf : with_mine()) {
    const NodeSources &sources = node_sources(leaf);
    for (const auto *list : {&sources.inject, &sources.copy})
      for (const NodeSources::NodeCopy &op : *list) {
        if (!read(leaf, op.to)) continue;
        mark_node(op.from_leaf, op.from);
        if (!is_mine(leaf)) {
          std::uint8_t &flags = remote_.at(leaf).nodes[static_cast<std::size_t>(op.to)];
          flags = static_cast<std::uint8_t>(flags & ~flag_read);
        }
      }
  }
  for (auto &[leaf, block] : remote_) {
    for_box(inner, [&, &block = block](Index i, Index j, Index k) {
      std::uint8_t &flags = block.nodes[static_cast<std::size_t>(points_.element(true, i, j, k))];
      const bool wanted = (flags & flag_read) != 0;
      flags = static_cast<std::uint8_t>((flags & ~flag_wanted) | (wanted ? flag_wanted : 0));
    });
    for (std::uint8_t &flags : block.nodes)
      flags = static_cast<std::uint8_t>(flags & ~flag_read);
  }
}

EndRule end_rule(const ForestTree &tree, const ForestShape &shape, const Leaf &leaf,
                 const Step &step) {
  EndRule rule;
  bool found = false;
  for (const bool wanted : {true, false})
    for (int a = 2; a >= 3 - shape.dimensions && !found; --a) {
      const auto axis = static_cast<std::size_t>(a);
      if (step[axis] == 0) continue;
      Index3 back = leaf.place;
      for (std::size_t b = 0; b < 3; ++b)
        if (b != axis) back[static_cast<int>(b)] += step[b];
      if (wanted && !tree.wrap(leaf.level, back)) continue;
      rule.axis = a;
      found = true;
    }
  const auto axis = static_cast<std::size_t>(rule.axis);
  const Index at = leaf.place[rule.axis] + step[axis];
  const Index size = shape.trees[rule.axis] << leaf.level;
  rule.end = shape.periodic[axis] ? 2 : at < 0 ? 0 : at >= size ? 1 : 2;
  return rule;
}

namespace {

/// Appends the operations of single leaves to the lists: filling of ghosts, flux corrections and
/// nodes.
class ListMaker {
public:
  ListMaker(BlockNeeds &needs, const ForestShape &shape, const std::vector<Index> &slot)
      : needs_(needs), shape_(shape), slot_(slot) {}

  void add_ghosts(Index leaf, std::uint32_t steps) {
    const Neighbours beside = needs_.neighbours(leaf);
    for (int d = 0; d < all_steps; ++d) {
      if (!needs_.tree().is_step(step_of(d)) || (steps >> d & 1U) == 0) continue;
      add(leaf, beside[static_cast<std::size_t>(d)], d);
    }
  }

  void add_fluxes(Index leaf) {
    const Neighbours beside = needs_.neighbours(leaf);
    for (int axis = 3 - shape_.dimensions; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        Step step{0, 0, 0};
        step[static_cast<std::size_t>(axis)] = side == 0 ? -1 : 1;
        const int number = number_of(step);
        const Neighbour &n = beside[static_cast<std::size_t>(number)];
        if (n.kind != Neighbour::Relation::finer) continue;
        for (const auto &[q, fine] : needs_.finer(n, needs_.tree()[leaf].level, number))
          if (at(fine) >= 0)
            lists.fluxes[static_cast<std::size_t>(axis)].push_back(
                {number32(at(leaf)), number32(at(fine)), static_cast<std::uint8_t>(side),
                 static_cast<std::uint8_t>(q)});
      }
  }

  void add_nodes(Index leaf, const std::vector<std::uint8_t> *flags) {
    const BlockNeeds::NodeSources &sources = needs_.node_sources(leaf);
    const std::int32_t to = number32(at(leaf));
    const auto read = [&](std::int32_t node) {
      return flags == nullptr || ((*flags)[static_cast<std::size_t>(node)] & flag_ever) != 0;
    };
    for (const auto &op : sources.copy)
      if (read(op.to) && at(op.from_leaf) >= 0)
        lists.node_copy.push_back({to, op.to, number32(at(op.from_leaf)), op.from});
    for (const auto &op : sources.inject)
      if (read(op.to) && at(op.from_leaf) >= 0)
        lists.node_inject.push_back({to, op.to, number32(at(op.from_leaf)), op.from});
    for (const auto &op : sources.lines) {
      if (!read(op.to) || at(op.from_leaf) < 0) continue;
      kernels::NodeLine line{to, op.to, number32(at(op.from_leaf)), {}};
      std::ranges::copy(op.from, line.nodes);
      lists.node_lines.push_back(line);
    }
  }

  BlockLists lists;

private:
  static std::int32_t number32(Index n) { return static_cast<std::int32_t>(n); }
  Index at(Index leaf) const { return slot_[static_cast<std::size_t>(leaf)]; }

  void add(Index leaf, const Neighbour &n, int step) {
    kernels::GhostOp op{number32(at(leaf)), 0, static_cast<std::uint8_t>(step), 0, 0};
    if (n.kind == Neighbour::Relation::outside) {
      const EndRule rule = end_rule(needs_.tree(), shape_, needs_.tree()[leaf], step_of(step));
      Index3 place = needs_.tree()[leaf].place;
      for (int a = 0; a < 3; ++a)
        place[a] += kernels::along(step, a);
      op.from = number32(needs_.tree().tree_of(needs_.tree()[leaf].level, place));
      op.part = static_cast<std::uint8_t>(rule.axis);
      op.end = static_cast<std::uint8_t>(rule.end);
      lists.ends[static_cast<std::size_t>(axes_of(step) - 1)].push_back(op);
    } else if (n.kind == Neighbour::Relation::finer) {
      for (const auto &[q, fine] : needs_.finer(n, needs_.tree()[leaf].level, step)) {
        op.from = number32(at(fine));
        op.part = static_cast<std::uint8_t>(q);
        if (op.from >= 0) lists.mean.ops.push_back(op);
      }
    } else {
      op.from = number32(at(n.leaf));
      op.part = static_cast<std::uint8_t>(half_bits(n.place));
      if (op.from >= 0)
        (n.kind == Neighbour::Relation::same ? lists.copy : lists.coarse).ops.push_back(op);
    }
  }

  BlockNeeds &needs_;
  const ForestShape &shape_;
  const std::vector<Index> &slot_;
};

} // namespace

BlockLists make_lists(BlockNeeds &needs, const ForestShape &shape, const std::vector<Index> &slot) {
  ListMaker maker(needs, shape, slot);
  for (const Index leaf : needs.mine()) {
    if (needs.use().cells) {
      maker.add_ghosts(leaf, ~0U);
      maker.add_fluxes(leaf);
    }
    if (needs.use().nodes) maker.add_nodes(leaf, nullptr);
  }
  for (const auto &[leaf, block] : needs.remote()) {
    if (needs.use().cells) {
      maker.add_ghosts(leaf, block.steps);
      if (!block.updated.cells.empty()) maker.add_fluxes(leaf);
    }
    if (needs.use().nodes) maker.add_nodes(leaf, &block.nodes);
  }
  for (GhostList *list : {&maker.lists.copy, &maker.lists.mean, &maker.lists.coarse}) {
    const auto rest =
        std::stable_partition(list->ops.begin(), list->ops.end(),
                              [](const kernels::GhostOp &op) { return axes_of(op.step) == 1; });
    list->faces = static_cast<std::size_t>(rest - list->ops.begin());
  }
  return std::move(maker.lists);
}

} // namespace hybridfft::grid
