/// The parts of a forest on one rank: leaves, owners, slots, lists, and messages with other ranks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "exchange/communicator.h"
#include "grid/block_lists.h"
#include "grid/block_pool.h"
#include "grid/forest_tree.h"
#include "hybridfft/grid/for_blocks.hpp"

namespace hybridfft::grid::detail {

/// Slots of a rank: the smallest free one is taken first.
class Slots {
public:
  Index take();
  void release(Index slot);
  /// Slots 0 to count - 1 are taken, all others free.
  void reset(Index count);
  /// Slots that have been used so far: all are below it.
  Index high() const { return high_; }

private:
  Index end_ = 0, high_ = 0;
  std::priority_queue<Index, std::vector<Index>, std::greater<>> free_;
};

/// Points whose values ranks send each other: those that an exchange reads, and nodes at ends of
/// the domain alone, of Blocks that later calls may exchange after std::swap().
enum class Points : std::uint8_t { cells, nodes, end_nodes };
constexpr std::size_t all_points = 3;
using PlaceLists = std::array<std::vector<kernels::ElementPlace>, all_points>;

/// Values that this rank and another one send each other.
struct ListPeer {
  int rank = 0;
  PlaceLists send, receive;
};

/// A leaf that goes from one rank to another.
struct LeafTransfer {
  Index leaf;
  int from, to;
};

using Carried = std::span<AnyBlocks *const>;

struct ForestState {
  ForestState(const Communicator &ranks, ForestShape given, std::span<const Leaf> leaves);

  Communicator comm;
  std::shared_ptr<exchange::Communicator> messages;
  int tag;
  ForestShape shape;
  BlockPoints points;
  ForestTree tree;
  std::vector<int> owner;
  std::vector<Index> mine, slot;
  std::vector<Index> ghost_leaves;
  Slots slots;
  std::uint64_t generation = 0;
  int depth = 1;

  std::array<int, 5> live{}; ///< number of Blocks by centring
  ListUse listed;            ///< points that the lists have
  BlockLists lists;
  std::vector<ListPeer> peers;
  std::array<std::vector<LoopBlock>, 5> loops; ///< by centring
  std::map<std::uint64_t, BlockPool *> pools;  ///< by number
  std::uint64_t pools_made = 0;

  int exchanges_left = 0; ///< calls that do not communicate
  std::vector<std::uint64_t> countdown_of;
  bool ends_outdated = true; ///< end nodes of ghost blocks have to be sent once

  /// The points that lists are to have.
  ListUse use() const;
  int rank() const { return comm.rank(); }
  /// Throws Error(HFFT_ERROR_OUT_OF_MEMORY) on all ranks if one needs more slots than it has.
  void require_capacity(Index slots_needed) const;
  /// A list's copy in the memory of a device, kept until the lists change.
  template <class T> const T *on_device(const Device &device, const std::vector<T> &list);

  /// Takes new leaves with owners and slots of own leaves (-1 for others), and makes the lists.
  void install(ForestTree new_tree, std::vector<int> new_owner, std::vector<Index> new_slot,
               BlockNeeds &needs);
  /// Makes the lists anew for the same leaves.
  void relist();
  void release_ghosts();
  /// Values by leaf along the curve, of values by leaf of mine. Collective.
  template <class T> std::vector<T> by_leaf(std::span<const T> values) const;
  /// Brings leaves to other ranks, into slots that `new_slot` gets there; frees those they leave.
  void transfer(std::span<const LeafTransfer> transfers, std::vector<Index> &where,
                Carried carried);
  void migrate(std::vector<int> new_owner, bool in_order, Carried carried);
  void follow_curve(std::vector<Index> &where, std::span<const int> new_owner, Carried carried);
  void require_carried(Carried carried) const;
  void reserve_pools();

private:
  void make_loops(BlockNeeds &needs);
  void make_peers(BlockNeeds &needs);
  std::map<const void *, std::shared_ptr<void>> device_lists_;
};

template <class T>
const T *ForestState::on_device(const Device &device, const std::vector<T> &list) {
  if (list.empty()) return nullptr;
  std::shared_ptr<void> &copy = device_lists_[list.data()];
  if (copy == nullptr) {
    copy = allocate_on(device, list.size() * sizeof(T));
    device.copy(copy.get(), list.data(), list.size() * sizeof(T));
  }
  return static_cast<const T *>(copy.get());
}

template <class T> std::vector<T> ForestState::by_leaf(std::span<const T> values) const {
  const std::vector<T> all = comm.gather_all(values);
  std::vector<std::size_t> next(static_cast<std::size_t>(comm.size()) + 1, 0);
  for (const int r : owner)
    ++next[static_cast<std::size_t>(r) + 1];
  for (std::size_t r = 1; r < next.size(); ++r)
    next[r] += next[r - 1];
  std::vector<T> sorted;
  sorted.reserve(owner.size());
  for (const int r : owner)
    sorted.push_back(all[next[static_cast<std::size_t>(r)]++]);
  return sorted;
}

} // namespace hybridfft::grid::detail
