// Changes the leaves of a forest of octrees: refinement, coarsening, load balancing along the
// space-filling curve, and the lists of operations that fill ghosts.
#include "hybridfft/grid/forest.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/mpi.h"
#include "grid/forest_state.h"
#include "grid/message_requests.h"
#include "hybridfft/error.hpp"
#include "hybridfft/grid/block_exchange.hpp"

namespace hybridfft::grid {

namespace detail {

Index Slots::take() {
  if (free_.empty()) {
    high_ = std::max(high_, end_ + 1);
    return end_++;
  }
  const Index slot = free_.top();
  free_.pop();
  return slot;
}

void Slots::release(Index slot) { free_.push(slot); }

void Slots::reset(Index count) {
  free_ = {};
  end_ = count;
  high_ = std::max(high_, end_);
}

namespace {

/// Returns the number of slots to reserve. With so many slots, one variable in double precision
/// would fill the machine's memory. Only address space is reserved.
Index capacity_of(const ForestShape &shape) {
  const auto pages = static_cast<Index>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<Index>(sysconf(_SC_PAGESIZE));
  Index block = static_cast<Index>(sizeof(double));
  for (int a = 0; a < shape.dimensions; ++a)
    block *= shape.cells + 2 * shape.halo;
  return std::clamp<Index>(pages * page / block, 1, std::numeric_limits<std::int32_t>::max());
}

} // namespace

ForestState::ForestState(const Communicator &ranks, ForestShape given, std::span<const Leaf> leaves)
    : comm(ranks), messages(exchange::acquire(ranks.handle())), tag(next_neighbour_tag(*messages)),
      shape(std::move(given)), points(shape) {
  comm.agree([&] {
    tree = ForestTree(shape, leaves);
    if (shape.capacity < 0 || shape.capacity > std::numeric_limits<std::int32_t>::max())
      throw Error(HFFT_ERROR_ARGUMENT, "a forest has a capacity of " +
                                           std::to_string(shape.capacity) +
                                           " slots, expected 0 to 2^31-1");
  });
  if (shape.capacity == 0) shape.capacity = capacity_of(shape);
  owner = partition({}, tree.size(), comm.size());
  const Index own = std::ranges::count(owner, rank());
  require_capacity(own);
  slot.assign(owner.size(), -1);
  for (std::size_t n = 0; n < owner.size(); ++n)
    if (owner[n] == rank()) slot[n] = slots.take();
  relist();
}

ListUse ForestState::use() const {
  const bool faces = live[2] + live[3] + live[4] > 0;
  return {live[0] > 0 || faces, live[1] > 0};
}

void ForestState::require_capacity(Index slots_needed) const {
  struct Room {
    Index needed, capacity;
  };
  const Room mine{slots_needed, shape.capacity};
  const std::vector<Room> all = comm.gather_all(std::span(&mine, 1));
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r].needed > all[r].capacity)
      throw Error(HFFT_ERROR_OUT_OF_MEMORY,
                  "rank " + std::to_string(r) + " needs " + std::to_string(all[r].needed) +
                      " blocks, has room for " + std::to_string(all[r].capacity));
}

void ForestState::release_ghosts() {
  for (const Index leaf : ghost_leaves) {
    slots.release(slot[static_cast<std::size_t>(leaf)]);
    slot[static_cast<std::size_t>(leaf)] = -1;
  }
  ghost_leaves.clear();
}

void ForestState::reserve_pools() {
  for (const auto &[number, pool] : pools)
    pool->reserve(slots.high());
}

void ForestState::install(ForestTree new_tree, std::vector<int> new_owner,
                          std::vector<Index> new_slot, BlockNeeds &needs) {
  const bool same_tree = &needs.tree() == &tree;
  if (!same_tree) tree = std::move(new_tree);
  owner = std::move(new_owner);
  slot = std::move(new_slot);
  mine = needs.mine();
  for (const auto &[leaf, block] : needs.remote()) {
    slot[static_cast<std::size_t>(leaf)] = slots.take();
    ghost_leaves.push_back(leaf);
  }
  listed = needs.use();
  device_lists_.clear();
  lists = make_lists(needs, shape, slot);
  make_loops(needs);
  make_peers(needs);
  reserve_pools();
  ++generation;
  exchanges_left = 0;
  round = 0;
  ends_outdated = true;
}

void ForestState::relist() {
  BlockNeeds needs(tree, owner, rank(), points, depth, use());
  require_capacity(static_cast<Index>(needs.mine().size() + needs.remote().size()));
  release_ghosts();
  install({}, owner, slot, needs);
}

namespace {

std::uint32_t outside_of(const Neighbours &beside) {
  std::uint32_t bits = 0;
  for (std::uint32_t d = 0; d < all_steps; ++d)
    if (d != no_step && beside[d].kind == Neighbour::Relation::outside) bits |= 1U << d;
  return bits;
}

std::uint32_t sides_of(const ForestShape &shape, const Leaf &leaf, const Neighbours &beside) {
  std::uint32_t bits = 0;
  for (int a = 3 - shape.dimensions; a < 3; ++a) {
    if (leaf.place[a] == 0) bits |= 1U << (2 * a);
    if (leaf.place[a] == (shape.trees[a] << leaf.level) - 1) bits |= 1U << (2 * a + 1);
    for (const int e : {-1, 1}) {
      Step step{0, 0, 0};
      step[static_cast<std::size_t>(a)] = e;
      if (beside[static_cast<std::size_t>(number_of(step))].kind == Neighbour::Relation::finer)
        bits |= corrected_bit;
    }
  }
  return bits;
}

} // namespace

void ForestState::make_loops(BlockNeeds &needs) {
  loops.assign(static_cast<std::size_t>(depth), {});
  for (std::size_t after = 0; after < loops.size(); ++after)
    for (std::size_t c = 0; c < loops[after].size(); ++c) {
      std::vector<LoopBlock> &blocks = loops[after][c];
      Index3 extents = points.shape.cells;
      for (int a = points.shape.first_axis; a < 3; ++a)
        if (c == 1 || static_cast<int>(c) - 2 == a) ++extents[a];
      const auto add = [&](Index leaf, const Box &box) {
        const Leaf &l = tree[leaf];
        const Neighbours &beside = needs.neighbours(leaf);
        blocks.push_back({slot[static_cast<std::size_t>(leaf)], l.place, l.level,
                          outside_of(beside), sides_of(shape, l, beside), box.lo, box.hi});
      };
      for (const Index leaf : mine)
        add(leaf, Box(Index3{}, extents));
      for (const auto &[leaf, block] : needs.remote()) {
        const RemoteBlock::Updated &u = block.backward[loops.size() - 1 - after];
        add(leaf, c == 0 ? u.cells : c == 1 ? u.nodes : u.faces[c - 2]);
      }
    }
}

namespace {

/// Returns the points of kind `points` that this rank needs from leaves owned by `rank`. For each
/// such leaf: its number, the number of points, and their element numbers.
std::vector<std::int32_t> request_of(BlockNeeds &needs, const std::vector<int> &owner, int rank,
                                     Points points) {
  const bool nodes = points != Points::cells;
  const Index3 widths = needs.points().widths(nodes), ghosts = needs.points().shape.ghosts;
  Index3 inner;
  for (int a = 0; a < 3; ++a)
    inner[a] = widths[a] - 2 * ghosts[a];
  std::vector<std::int32_t> words;
  for (const auto &[leaf, block] : needs.remote()) {
    if (owner[static_cast<std::size_t>(leaf)] != rank) continue;
    const std::vector<std::uint8_t> &flags = nodes ? block.nodes : block.cells;
    LoopBlock at{};
    at.outside = outside_of(needs.neighbours(leaf));
    const auto asked = [&](Index e) {
      if ((flags[static_cast<std::size_t>(e)] & flag_wanted) == 0) return false;
      return points != Points::end_nodes ||
             at_end(at, inner, true, 1, e / (widths[1] * widths[2]) - ghosts[0],
                    e / widths[2] % widths[1] - ghosts[1], e % widths[2] - ghosts[2]);
    };
    const std::size_t header = words.size();
    words.push_back(static_cast<std::int32_t>(leaf));
    words.push_back(0);
    for (Index e = 0; e < static_cast<Index>(flags.size()); ++e)
      if (asked(e)) words.push_back(static_cast<std::int32_t>(e));
    words[header + 1] = static_cast<std::int32_t>(words.size() - header - 2);
    if (words[header + 1] == 0) words.resize(header);
  }
  return words;
}

std::vector<kernels::ElementPlace> places_of(std::span<const std::int32_t> words,
                                             const std::vector<Index> &slot) {
  std::vector<kernels::ElementPlace> places;
  for (std::size_t w = 0; w < words.size();) {
    const auto at = static_cast<std::int32_t>(slot[static_cast<std::size_t>(words[w])]);
    const auto count = static_cast<std::size_t>(words[w + 1]);
    for (std::size_t e = 0; e < count; ++e)
      places.push_back({at, words[w + 2 + e]});
    w += 2 + count;
  }
  return places;
}

} // namespace

void ForestState::make_peers(BlockNeeds &needs) {
  peers.clear();
  if (comm.size() == 1) return;
  const auto ranks = static_cast<std::size_t>(comm.size());
  using Requests = std::array<std::vector<std::int32_t>, all_points>;
  std::map<int, Requests> asked, asks;
  for (const auto &[leaf, block] : needs.remote())
    asked[owner[static_cast<std::size_t>(leaf)]];
  std::vector<std::array<int, all_points>> sizes(ranks), others(ranks);
  for (auto &[r, requests] : asked)
    for (std::size_t p = 0; p < all_points; ++p) {
      requests[p] = request_of(needs, owner, r, static_cast<Points>(p));
      sizes[static_cast<std::size_t>(r)][p] = static_cast<int>(requests[p].size());
    }
  constexpr int numbers = all_points;
  mpi::check(MPI_Alltoall(sizes.data(), numbers, MPI_INT, others.data(), numbers, MPI_INT,
                          messages->get()),
             "MPI_Alltoall");
  std::vector<MPI_Request> pending;
  const auto post = [&](bool send, std::vector<std::int32_t> &words, int r) {
    if (words.empty()) return;
    pending.emplace_back();
    const auto count = static_cast<int>(words.size());
    mpi::check(
        send
            ? MPI_Isend(words.data(), count, MPI_INT32_T, r, tag, messages->get(), &pending.back())
            : MPI_Irecv(words.data(), count, MPI_INT32_T, r, tag, messages->get(), &pending.back()),
        send ? "MPI_Isend" : "MPI_Irecv");
  };
  for (int r = 0; r < comm.size(); ++r)
    for (std::size_t p = 0; p < all_points; ++p) {
      const int size = others[static_cast<std::size_t>(r)][p];
      if (size == 0) continue;
      asks[r][p].resize(static_cast<std::size_t>(size));
      post(false, asks[r][p], r);
    }
  for (auto &[r, requests] : asked)
    for (auto &words : requests)
      post(true, words, r);
  const mpi::ReturnedErrors scope;
  mpi::check(MPI_Waitall(static_cast<int>(pending.size()), pending.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
  for (int r = 0; r < comm.size(); ++r) {
    ListPeer peer{r, {}, {}};
    for (std::size_t p = 0; p < all_points; ++p) {
      if (asks.contains(r)) peer.send[p] = places_of(asks[r][p], slot);
      if (asked.contains(r)) peer.receive[p] = places_of(asked[r][p], slot);
    }
    if (asks.contains(r) || asked.contains(r)) peers.push_back(std::move(peer));
  }
}

LoopBlocks loop_blocks(const Forest &forest, const Where &where, const Device *device) {
  ForestState &state = *forest.state();
  const bool nodes_only = state.live[1] > 0 && state.live[0] == 0;
  const Centring centring = where.centring.value_or(nodes_only ? Centring::node : Centring::cell);
  const auto c = static_cast<std::size_t>(centring);
  const std::vector<LoopBlock> &blocks = state.loops[state.round][c];
  LoopBlocks loop{blocks, nullptr, static_cast<Index>(state.mine.size()), state.points.shape.cells,
                  centring == Centring::node};
  for (int a = state.points.shape.first_axis; a < 3; ++a)
    if (c == 1 || static_cast<int>(c) - 2 == a) ++loop.extents[a];
  if (device != nullptr) loop.on_device = state.on_device(*device, blocks);
  return loop;
}

std::vector<std::byte> gather_leaf_bytes(const Forest &forest, const std::byte *mine,
                                         std::size_t bytes) {
  const ForestState &state = *forest.state();
  const std::vector<std::byte> all =
      state.comm.gather_all(std::span(mine, state.mine.size() * bytes));
  std::vector<std::size_t> next(static_cast<std::size_t>(state.comm.size()) + 1, 0);
  for (const int r : state.owner)
    next[static_cast<std::size_t>(r) + 1] += bytes;
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::byte> sorted(all.size());
  std::size_t to = 0;
  for (const int r : state.owner) {
    std::size_t &from = next[static_cast<std::size_t>(r)];
    std::memcpy(sorted.data() + to, all.data() + from, bytes);
    from += bytes;
    to += bytes;
  }
  return sorted;
}

} // namespace detail

Forest::Forest(const Communicator &comm, ForestShape shape, std::span<const Leaf> leaves)
    : state_(std::make_shared<detail::ForestState>(comm, std::move(shape), leaves)) {}
Forest::~Forest() = default;
Forest::Forest(Forest &&) noexcept = default;
Forest &Forest::operator=(Forest &&) noexcept = default;

const Communicator &Forest::communicator() const { return state_->comm; }
const ForestShape &Forest::shape() const { return state_->shape; }
std::span<const Leaf> Forest::leaves() const { return state_->tree.leaves(); }
std::span<const Index> Forest::mine() const { return state_->mine; }
int Forest::owner(Index leaf) const { return state_->owner[static_cast<std::size_t>(leaf)]; }
Index Forest::slot(Index leaf) const { return state_->slot[static_cast<std::size_t>(leaf)]; }

std::optional<Index> Forest::find(const Leaf &leaf) const {
  Index3 place = leaf.place;
  if (leaf.level < 0 || leaf.level > state_->shape.max_level ||
      !state_->tree.wrap(leaf.level, place) || !(place == leaf.place))
    return std::nullopt;
  const Index n = state_->tree.find(leaf);
  return n < 0 ? std::nullopt : std::optional(n);
}

std::vector<Index> Forest::around(Index leaf) const { return state_->tree.around(leaf); }
Index Forest::ghost_blocks() const { return static_cast<Index>(state_->ghost_leaves.size()); }
std::uint64_t Forest::generation() const { return state_->generation; }
int Forest::halo_depth() const { return state_->depth; }
void Forest::touch() {
  state_->exchanges_left = 0;
  state_->round = 0;
  state_->ends_outdated = true;
}

void Forest::halo_depth(int k) {
  state_->comm.agree([&] {
    if (k < 1)
      throw Error(HFFT_ERROR_ARGUMENT,
                  "halo_depth is " + std::to_string(k) + ", expected 1 or more");
  });
  if (k == state_->depth) return;
  const int before = state_->depth;
  state_->depth = k;
  try {
    state_->relist();
  } catch (const Error &) {
    state_->depth = before;
    throw;
  }
}

} // namespace hybridfft::grid
