// Changes the mesh of a forest: refines, coarsens, adds, removes and moves leaves, and transfers
// their values.
#include <algorithm>
#include <string>
#include <utility>

#include "base/mpi.h"
#include "grid/forest_state.h"
#include "hybridfft/error.hpp"
#include "hybridfft/grid/block_exchange.hpp"
#include "hybridfft/grid/forest.hpp"

namespace hybridfft::grid {

namespace detail {

void ForestState::require_carried(Carried carried) const {
  for (const AnyBlocks *b : carried) {
    if (b->forest().get() != this)
      throw Error(HFFT_ERROR_ARGUMENT,
                  "a change of a forest: blocks of another forest, expected its own");
    if (b->pool().is_face())
      throw Error(HFFT_ERROR_ARGUMENT,
                  "a change of a forest: blocks of fluxes at faces, which it does not carry");
  }
}

namespace {

/// Whole slots sent to or received from another rank. MPI reads and writes pools in host memory
/// directly. Slots in device memory are copied to and from `staged`.
struct SlotMessage {
  std::vector<Index> slots;
  std::vector<std::byte> staged; ///< host copies of slots in device memory
  MPI_Datatype type = MPI_DATATYPE_NULL;

  void make(Carried carried) {
    std::size_t on_devices = 0;
    for (const AnyBlocks *b : carried)
      if (b->pool().device) on_devices += slots.size() * b->pool().slot_bytes();
    staged.resize(on_devices);
    std::vector<int> lengths;
    std::vector<MPI_Aint> addresses;
    std::size_t at = 0;
    for (const AnyBlocks *b : carried)
      for (const Index s : slots) {
        const BlockPool &pool = b->pool();
        std::byte *where = pool.device ? staged.data() + at : pool.slot(s);
        if (pool.device) at += pool.slot_bytes();
        lengths.push_back(static_cast<int>(pool.slot_bytes()));
        addresses.emplace_back();
        mpi::check(MPI_Get_address(where, &addresses.back()), "MPI_Get_address");
      }
    mpi::check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                        addresses.data(), MPI_BYTE, &type),
               "MPI_Type_create_hindexed");
    mpi::check(MPI_Type_commit(&type), "MPI_Type_commit");
  }

  void stage(Carried carried, bool to_devices) {
    std::byte *at = staged.data();
    for (const AnyBlocks *b : carried) {
      if (!b->pool().device) continue;
      for (const Index s : slots) {
        to_devices ? b->pool().write_slot(s, at) : b->pool().read_slot(s, at);
        at += b->pool().slot_bytes();
      }
    }
  }
};

} // namespace

void ForestState::transfer(std::span<const LeafTransfer> transfers, std::vector<Index> &where,
                           Carried carried) {
  std::map<int, SlotMessage> out, in;
  for (const LeafTransfer &t : transfers) {
    Index &at = where[static_cast<std::size_t>(t.leaf)];
    if (t.from == rank()) out[t.to].slots.push_back(at);
    if (t.to != rank()) continue;
    at = slots.take();
    in[t.from].slots.push_back(at);
  }
  reserve_pools();
  std::vector<MPI_Request> requests;
  if (!carried.empty()) {
    for (auto &[r, message] : in) {
      message.make(carried);
      requests.emplace_back();
      mpi::check(MPI_Irecv(MPI_BOTTOM, 1, message.type, r, tag, messages->get(), &requests.back()),
                 "MPI_Irecv");
    }
    for (auto &[r, message] : out) {
      message.make(carried);
      message.stage(carried, false);
      requests.emplace_back();
      mpi::check(MPI_Isend(MPI_BOTTOM, 1, message.type, r, tag, messages->get(), &requests.back()),
                 "MPI_Isend");
    }
    const mpi::ReturnedErrors scope;
    mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
               "MPI_Waitall");
    for (auto &[r, message] : in)
      message.stage(carried, true);
    for (auto *all : {&in, &out})
      for (auto &[r, message] : *all)
        MPI_Type_free(&message.type);
  }
  for (const auto &[r, message] : out)
    for (const Index s : message.slots)
      slots.release(s);
  for (const LeafTransfer &t : transfers)
    if (t.from == rank()) where[static_cast<std::size_t>(t.leaf)] = -1;
}

/// Sorts the slots along the curve: moves the s-th own leaf to slot s, using one spare slot.
void ForestState::follow_curve(std::vector<Index> &where, std::span<const int> new_owner,
                               Carried carried) {
  std::vector<Index> own;
  for (std::size_t n = 0; n < where.size(); ++n)
    if (new_owner[n] == rank()) own.push_back(static_cast<Index>(n));
  std::map<Index, Index> occupant;
  for (const Index leaf : own)
    occupant[where[static_cast<std::size_t>(leaf)]] = leaf;
  Index spare = slots.take();
  reserve_pools();
  // Moves a leaf to slot `to` and returns its old slot.
  const auto move = [&](Index leaf, Index to) {
    const Index from = std::exchange(where[static_cast<std::size_t>(leaf)], to);
    for (const AnyBlocks *b : carried)
      b->pool().copy_slot(to, from);
    occupant.erase(from);
    occupant[to] = leaf;
    return from;
  };
  for (Index s = 0; s < static_cast<Index>(own.size()); ++s) {
    const Index leaf = own[static_cast<std::size_t>(s)];
    if (where[static_cast<std::size_t>(leaf)] == s) continue;
    const auto other = occupant.find(s);
    const bool full = other != occupant.end();
    if (full) move(other->second, spare);
    const Index left = move(leaf, s);
    if (full || s == spare) spare = left;
  }
  slots.reset(static_cast<Index>(own.size()));
}

void ForestState::migrate(std::vector<int> new_owner, bool in_order, Carried carried) {
  std::vector<LeafTransfer> transfers;
  Index arriving = 0;
  for (std::size_t n = 0; n < owner.size(); ++n)
    if (owner[n] != new_owner[n]) {
      transfers.push_back({static_cast<Index>(n), owner[n], new_owner[n]});
      arriving += new_owner[n] == rank() ? 1 : 0;
    }
  BlockNeeds needs(tree, new_owner, rank(), points, depth, use());
  const auto now = static_cast<Index>(mine.size());
  const auto later = static_cast<Index>(needs.mine().size() + needs.remote().size());
  require_capacity(std::max(
      {now + arriving, later, static_cast<Index>(needs.mine().size()) + (in_order ? 1 : 0)}));
  release_ghosts();
  std::vector<Index> where = slot;
  transfer(transfers, where, carried);
  if (in_order) follow_curve(where, new_owner, carried);
  install({}, std::move(new_owner), std::move(where), needs);
}

namespace {

/// The leaves of a changed mesh, and the old leaf from which each is computed.
struct MeshChange {
  std::vector<int> owner;
  std::vector<Index> kept; ///< old number of an unchanged leaf; -1 for new leaves
  struct Source {
    Index to, from;    ///< new and old number of the leaf
    std::uint8_t part; ///< number of the child
  };
  std::vector<Source> refined, coarsened;
  std::vector<LeafTransfer>
      transfers; ///< members of a family to send to the rank of the first member
};

std::uint8_t part_of(const Leaf &child) {
  return static_cast<std::uint8_t>((child.place[0] & 1) << 2 | (child.place[1] & 1) << 1 |
                                   (child.place[2] & 1));
}

MeshChange change_of(const ForestTree &tree, const std::vector<int> &owner,
                     const std::vector<int> &targets) {
  MeshChange c;
  Index to = 0;
  for (Index n = 0; n < tree.size(); ++n) {
    const auto at = static_cast<std::size_t>(n);
    const int level = tree[n].level;
    if (targets[at] == level) {
      c.owner.push_back(owner[at]);
      c.kept.push_back(n);
      ++to;
    } else if (targets[at] > level) {
      for (int q = 0; q < tree.children(); ++q) {
        c.owner.push_back(owner[at]);
        c.kept.push_back(-1);
        c.refined.push_back({to++, n, static_cast<std::uint8_t>(q)});
      }
    } else {
      const std::uint8_t part = part_of(tree[n]);
      const Index first = n - part;
      const int home = owner[static_cast<std::size_t>(first)];
      if (part == 0) {
        c.owner.push_back(home);
        c.kept.push_back(-1);
        ++to;
      }
      c.coarsened.push_back({to - 1, n, part});
      if (owner[at] != home) c.transfers.push_back({n, owner[at], home});
    }
  }
  return c;
}

template <class T>
void carry(const BlockPool &pool, const std::vector<kernels::CarryOp> &refine,
           const std::vector<kernels::CarryOp> &coarsen) {
  const ListOnDevice<kernels::CarryOp> to_refine(pool, refine), to_coarsen(pool, coarsen);
  const kernels::Values<T> values = pool.values<T>();
  if (pool.is_node()) {
    run_ops(pool, std::span(refine), to_refine.get(), kernels::RefineNodes<T>{pool.shape, values});
    run_ops(pool, std::span(coarsen), to_coarsen.get(),
            kernels::CoarsenNodes<T>{pool.shape, values});
  } else {
    run_ops(pool, std::span(refine), to_refine.get(),
            kernels::RefineCells<T>{pool.shape, values, pool.traits.interpolation});
    run_ops(pool, std::span(coarsen), to_coarsen.get(),
            kernels::CoarsenCells<T>{pool.shape, values});
  }
}

/// Assigns slots to this rank's new leaves, computes their values, and frees the old slots.
std::vector<Index> carry_all(ForestState &state, const MeshChange &c,
                             const std::vector<Index> &where, Carried carried) {
  std::vector<Index> slot(c.owner.size(), -1);
  for (std::size_t n = 0; n < slot.size(); ++n) {
    if (c.owner[n] != state.rank()) continue;
    slot[n] = c.kept[n] < 0 ? state.slots.take() : where[static_cast<std::size_t>(c.kept[n])];
  }
  state.reserve_pools();
  const auto ops = [&](const std::vector<MeshChange::Source> &sources) {
    std::vector<kernels::CarryOp> list;
    for (const MeshChange::Source &s : sources)
      if (slot[static_cast<std::size_t>(s.to)] >= 0)
        list.push_back({static_cast<std::int32_t>(slot[static_cast<std::size_t>(s.to)]),
                        static_cast<std::int32_t>(where[static_cast<std::size_t>(s.from)]),
                        s.part});
    return list;
  };
  const std::vector<kernels::CarryOp> refine = ops(c.refined), coarsen = ops(c.coarsened);
  for (const AnyBlocks *b : carried)
    with_type(b->pool(), [&](auto *type) {
      carry<std::remove_pointer_t<decltype(type)>>(b->pool(), refine, coarsen);
    });
  for (const kernels::CarryOp &op : coarsen)
    state.slots.release(op.from);
  for (const kernels::CarryOp &op : refine)
    if (op.part == 0) state.slots.release(op.from);
  return slot;
}

} // namespace

} // namespace detail

Changes Forest::adapt_blocks(std::span<const std::int8_t> marks, Carried carried) {
  detail::ForestState &s = *state_;
  s.comm.agree([&] {
    s.require_carried(carried);
    if (marks.size() != s.mine.size())
      throw Error(HFFT_ERROR_ARGUMENT, "adapt: found " + std::to_string(marks.size()) +
                                           " marks, expected one for each of " +
                                           std::to_string(s.mine.size()) + " leaves");
  });
  const std::vector<std::int8_t> all = s.by_leaf(marks);
  const std::vector<int> targets = s.tree.targets(all);
  const detail::MeshChange change = detail::change_of(s.tree, s.owner, targets);
  Changes changes;
  changes.coarsened = static_cast<Index>(change.coarsened.size());
  changes.refined = static_cast<Index>(change.refined.size()) / s.tree.children();
  if (!changes.any()) return changes;
  ForestTree tree = s.tree.with(s.tree.changed(targets));
  BlockNeeds needs(tree, change.owner, s.rank(), s.points, s.depth, s.use());
  Index arriving = 0, created = 0;
  for (const detail::LeafTransfer &t : change.transfers)
    arriving += t.to == s.rank() ? 1 : 0;
  for (const Index leaf : needs.mine())
    created += change.kept[static_cast<std::size_t>(leaf)] < 0 ? 1 : 0;
  s.require_capacity(std::max(static_cast<Index>(s.mine.size()) + arriving + created,
                              static_cast<Index>(needs.mine().size() + needs.remote().size())));
  touch();
  detail::exchange_blocks(*this, carried);
  s.release_ghosts();
  std::vector<Index> where = s.slot;
  s.transfer(change.transfers, where, carried);
  std::vector<Index> slot = detail::carry_all(s, change, where, carried);
  s.install(tree, change.owner, std::move(slot), needs);
  return changes;
}

void Forest::move_blocks(std::span<const Move> moves, Carried carried) {
  detail::ForestState &s = *state_;
  const std::vector<Move> all = s.comm.gather_all(moves);
  std::vector<int> owner = s.owner;
  s.comm.agree([&] {
    s.require_carried(carried);
    std::vector<bool> moved(owner.size());
    for (const Move &m : all) {
      if (m.leaf < 0 || m.leaf >= s.tree.size())
        throw Error(HFFT_ERROR_ARGUMENT, "move: leaf " + std::to_string(m.leaf) +
                                             ", expected 0 to " +
                                             std::to_string(s.tree.size() - 1));
      if (m.rank < 0 || m.rank >= s.comm.size())
        throw Error(HFFT_ERROR_ARGUMENT, "move: rank " + std::to_string(m.rank) +
                                             ", expected 0 to " +
                                             std::to_string(s.comm.size() - 1));
      const auto at = static_cast<std::size_t>(m.leaf);
      if (moved[at])
        throw Error(HFFT_ERROR_ARGUMENT,
                    "move: leaf " + std::to_string(m.leaf) + " twice, expected each at most once");
      moved[at] = true;
      owner[at] = m.rank;
    }
  });
  if (owner != s.owner) s.migrate(std::move(owner), false, carried);
}

namespace {

/// A leaf added by a rank.
struct NewLeaf {
  Leaf leaf;
  int rank;
};

/// Returns the owner of each tree's leaf after leaves are added and removed; -1 for absent trees.
/// Throws Error(HFFT_ERROR_ARGUMENT).
std::vector<int> owners_of_trees(const detail::ForestState &s, std::span<const NewLeaf> add,
                                 std::span<const Index> remove) {
  const auto refuse = [](const std::string &what) {
    throw Error(HFFT_ERROR_ARGUMENT, "set_leaves: " + what);
  };
  if (s.shape.max_level != 0)
    refuse("found a forest of levels 0 to " + std::to_string(s.shape.max_level) +
           ", expected one level");
  std::vector<int> owner(s.tree.present().size(), -1);
  const auto at = [&](Leaf leaf) -> int & {
    return owner[static_cast<std::size_t>(s.tree.tree_of(0, leaf.place))];
  };
  for (Index n = 0; n < s.tree.size(); ++n)
    at(s.tree[n]) = s.owner[static_cast<std::size_t>(n)];
  for (const NewLeaf &n : add) {
    Index3 place = n.leaf.place;
    const std::string name = "leaf of level " + std::to_string(n.leaf.level) + ", place (" +
                             std::to_string(place[2]) + ", " + std::to_string(place[1]) +
                             (s.shape.dimensions == 3 ? ", " + std::to_string(place[0]) : "") + ")";
    if (n.leaf.level != 0 || s.tree.tree_of(0, place) < 0 || !(place == n.leaf.place))
      refuse(name + ": expected level 0 and a place in the box of trees");
    if (at(n.leaf) >= 0) refuse(name + ": exists already");
    at(n.leaf) = n.rank;
  }
  std::vector<bool> removed(s.owner.size());
  for (const Index n : remove) {
    if (n < 0 || n >= s.tree.size())
      refuse("removes leaf " + std::to_string(n) + ", expected 0 to " +
             std::to_string(s.tree.size() - 1));
    if (removed[static_cast<std::size_t>(n)])
      refuse("removes leaf " + std::to_string(n) + " twice, expected each at most once");
    removed[static_cast<std::size_t>(n)] = true;
    at(s.tree[n]) = -1;
  }
  if (std::ranges::all_of(owner, [](int r) { return r < 0; }))
    refuse("removes all leaves, expected one to stay at least");
  return owner;
}

} // namespace

void Forest::set_leaves_of(std::span<const Leaf> add, std::span<const Index> remove,
                           Carried carried) {
  detail::ForestState &s = *state_;
  std::vector<NewLeaf> created;
  for (const Leaf &leaf : add)
    created.push_back({leaf, s.rank()});
  const std::vector<NewLeaf> all_created = s.comm.gather_all(std::span<const NewLeaf>(created));
  const std::vector<Index> all_removed = s.comm.gather_all(remove);
  std::vector<int> owner_of_tree;
  s.comm.agree([&] {
    s.require_carried(carried);
    owner_of_tree = owners_of_trees(s, all_created, all_removed);
  });
  if (all_created.empty() && all_removed.empty()) return;
  std::vector<std::uint8_t> present;
  std::vector<int> owner;
  for (const int r : owner_of_tree) {
    present.push_back(r >= 0 ? 1 : 0);
    if (r >= 0) owner.push_back(r);
  }
  const ForestTree tree = s.tree.with_trees(present);
  BlockNeeds needs(tree, owner, s.rank(), s.points, s.depth, s.use());
  s.require_capacity(static_cast<Index>(needs.mine().size() + needs.remote().size()));
  s.release_ghosts();
  for (const Index n : all_removed)
    if (const Index slot = s.slot[static_cast<std::size_t>(n)]; slot >= 0) s.slots.release(slot);
  std::vector<Index> slot(owner.size(), -1), empty;
  for (const Index n : needs.mine()) {
    const Index before = s.tree.find(tree[n]);
    Index &at = slot[static_cast<std::size_t>(n)];
    at = before >= 0 ? s.slot[static_cast<std::size_t>(before)] : s.slots.take();
    if (before < 0) empty.push_back(at);
  }
  s.reserve_pools();
  for (const detail::AnyBlocks *b : carried) {
    const std::vector<std::byte> zeros(b->pool().slot_bytes());
    for (const Index at : empty)
      b->pool().write_slot(at, zeros.data());
  }
  s.shape.present = std::move(present);
  s.install(tree, std::move(owner), std::move(slot), needs);
}

bool Forest::balance_blocks(double tolerance, std::span<const float> weights, Carried carried) {
  detail::ForestState &s = *state_;
  s.comm.agree([&] {
    s.require_carried(carried);
    if (!weights.empty() && weights.size() != s.mine.size())
      throw Error(HFFT_ERROR_ARGUMENT, "balance: found " + std::to_string(weights.size()) +
                                           " weights, expected one for each of " +
                                           std::to_string(s.mine.size()) + " leaves, or none");
    for (const float w : weights)
      if (!(w > 0))
        throw Error(HFFT_ERROR_ARGUMENT,
                    "balance: found the weight " + std::to_string(w) + ", expected positive ones");
  });
  const bool weighted = s.comm.max(static_cast<std::int64_t>(weights.size())) > 0;
  std::vector<float> all(s.owner.size(), 1.F);
  if (weighted) {
    const std::vector<float> mine(s.mine.size(), 1.F);
    all = s.by_leaf(weights.empty() ? std::span<const float>(mine) : weights);
  }
  std::vector<double> load(static_cast<std::size_t>(s.comm.size()), 0.);
  double total = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    load[static_cast<std::size_t>(s.owner[n])] += static_cast<double>(all[n]);
    total += static_cast<double>(all[n]);
  }
  const double mean = total / static_cast<double>(s.comm.size());
  if (tolerance >= 0 && *std::ranges::max_element(load) <= (1 + tolerance) * mean) return false;
  s.migrate(partition(all, s.tree.size(), s.comm.size()), true, carried);
  return true;
}

} // namespace hybridfft::grid
