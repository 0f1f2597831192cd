/// State of a forest on one rank: mesh, owners, slots, lists of operations, pools of values, and
/// messages with other ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <vector>

#include "base/threads.h"
#include "exchange/communicator.h"
#include "grid/block_kernels.h"
#include "grid/block_lists.h"
#include "grid/forest_tree.h"
#include "hybridfft/grid/blocks.hpp"
#include "hybridfft/grid/for_blocks.hpp"

namespace hybridfft::grid::detail {

/// Memory of one Blocks object on this rank: equal slots, each with all variables of one block.
struct BlockPool {
  /// Throws Error(HFFT_ERROR_ARGUMENT), Error(HFFT_ERROR_OUT_OF_MEMORY).
  BlockPool(ForestState &state, const Device *on, int variable_count,
            const BlockTraits &block_traits, std::size_t bytes, int thread_count);

  bool is_face() const { return traits.centring >= Centring::face_i; }
  bool is_node() const { return traits.centring == Centring::node; }
  std::size_t slot_bytes() const { return static_cast<std::size_t>(strides[0]) * value_bytes; }
  std::byte *slot(Index n) const {
    return memory.get() + static_cast<std::size_t>(n) * slot_bytes();
  }
  /// Extends the device memory of the pool to `count` slots.
  void reserve(Index count);
  /// copy_slot() copies one slot to another; read_slot() copies a slot to host memory, and
  /// write_slot() from host memory.
  void copy_slot(Index to, Index from);
  void read_slot(Index n, std::byte *to) const;
  void write_slot(Index n, const std::byte *from);

  template <class T> kernels::Values<T> values() const {
    T *const first = reinterpret_cast<T *>(memory.get());
    return {first + lead, strides[0], strides[1], strides[2], strides[3]};
  }
  template <class T> T *first() const { return reinterpret_cast<T *>(memory.get()); }

  std::uint64_t number; ///< number of the pool in its forest, the same on all ranks
  std::optional<Device> device;
  int variables;
  BlockTraits traits;
  std::size_t value_bytes;
  int threads;
  kernels::Shape shape; ///< cells and ghosts of the forest's blocks
  Index3 extents;       ///< inner points along each axis
  Index3 ghosts;        ///< ghosts along each axis
  Index strides[4];     ///< strides of slots, variables, i and j, in elements
  Index lead;           ///< elements from the first ghost to point (0, 0, 0)
  Index capacity = 0;   ///< number of slots in the reserved address range
  std::shared_ptr<std::byte> memory;
  std::shared_ptr<void> absent_values; ///< ghost value of each absent tree; nullptr: use `traits`
};

/// Allocates the slot numbers of a rank. take() returns the lowest free one.
class Slots {
public:
  Index take();
  void release(Index slot);
  /// Marks slots 0 to count - 1 as used and all others as free.
  void reset(Index count);
  /// One more than the largest slot used so far.
  Index high() const { return high_; }

private:
  Index end_ = 0, high_ = 0;
  std::priority_queue<Index, std::vector<Index>, std::greater<>> free_;
};

/// Kinds of points in messages. An exchange with messages sends the `cells` or `nodes` of its
/// Blocks. `end_nodes` are nodes at ends of the domain. If halo_depth() > 1, the first exchange
/// after a change of the mesh or touch() also sends the end nodes of all other Blocks. A later
/// exchange may read them without a message, because std::swap() exchanges the memory of Blocks.
enum class Points : std::uint8_t { cells, nodes, end_nodes };
constexpr std::size_t all_points = 3;
using PlaceLists = std::array<std::vector<kernels::ElementPlace>, all_points>;

/// Points sent to and received from another rank.
struct ListPeer {
  int rank = 0;
  PlaceLists send, receive;
};

/// A leaf that moves to another rank.
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

  std::array<int, 5> live{}; ///< number of existing Blocks of each centring
  ListUse listed;            ///< kinds of points for which the current lists were made
  BlockLists lists;
  std::vector<ListPeer> peers;
  /// Blocks visited by loops, indexed by the number of exchanges since the last message and by
  /// centring.
  std::vector<std::array<std::vector<LoopBlock>, 5>> loops;
  std::map<std::uint64_t, BlockPool *> pools; ///< pools by their number
  std::uint64_t pools_made = 0;

  /// Number of further exchanges that need no messages, because the last exchange with messages
  /// filled deeper ghosts.
  int exchanges_left = 0;
  std::size_t round = 0; ///< number of exchanges since the last one with messages
  std::vector<std::uint64_t> countdown_of;
  bool ends_outdated = true; ///< true until the end nodes of ghost blocks have been sent

  /// Returns the kinds of points used by the existing Blocks.
  ListUse use() const;
  int rank() const { return comm.rank(); }
  /// Throws Error(HFFT_ERROR_OUT_OF_MEMORY) on all ranks if any rank needs more slots than it has.
  void require_capacity(Index slots_needed) const;
  /// Returns the device address of a copy of the list. The copy is kept until the lists change.
  template <class T> const T *on_device(const Device &device, const std::vector<T> &list);

  /// Replaces the mesh and builds its lists. `new_slot` has the slot of each own leaf, and -1 for
  /// others.
  void install(ForestTree new_tree, std::vector<int> new_owner, std::vector<Index> new_slot,
               BlockNeeds &needs);
  /// Rebuilds the lists for the same mesh.
  void relist();
  void release_ghosts();
  /// Gathers one value for each leaf of all ranks, in the order of the curve. `values` are the
  /// values of own leaves. Collective.
  template <class T> std::vector<T> by_leaf(std::span<const T> values) const;
  /// Sends leaves to other ranks and sets `where` to their new slots. Frees their old slots.
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

// Runs kernels over lists of operations, on host threads or on the device of a pool.

/// Calls f with a pointer to the pool's first value, of type float or double.
template <class F> void with_type(const BlockPool &pool, const F &f) {
  if (pool.value_bytes == sizeof(float)) return f(pool.first<float>());
  f(pool.first<double>());
}

/// Runs a kernel's row() or cell() for all operations, variables and points of its box().
/// \param on_device address of the operations in the memory of the pool's device
template <class Kernel, class Op>
void run_ops(const BlockPool &pool, std::span<const Op> ops, const Op *on_device,
             const Kernel &kernel) {
  if (ops.empty()) return;
  const auto count = static_cast<Index>(ops.size());
  if (pool.device) {
    Index points = 0;
    for (const Op &op : ops)
      points = std::max(points, kernel.box(op).points());
    if (points > 0)
      parallel_for(*pool.device, Box(count, pool.variables, points),
                   kernels::OnList<Kernel, Op>{on_device, kernel});
    return;
  }
  parallel_ranges(count, pool.threads, [&](Index first, Index last, int) {
    const Kernel local = kernel; // copies, so that compilers keep the members in registers
    const Index variables = pool.variables;
    for (Index n = first; n < last; ++n) {
      const Op op = ops[static_cast<std::size_t>(n)];
      const Box b = local.box(op);
      for (Index v = 0; v < variables; ++v)
        for (Index i = b.lo[0]; i < b.hi[0]; ++i)
          for (Index j = b.lo[1]; j < b.hi[1]; ++j) {
            const Index first[3] = {i, j, b.lo[2]};
            kernels::run_row(local, op, v, first, b.extent(2));
          }
    }
  });
}

/// Calls kernel(0, variable, n) for all variables and 0 <= n < count.
template <class Kernel> void run_numbers(const BlockPool &pool, Index count, const Kernel &kernel) {
  if (count == 0) return;
  if (pool.device) return parallel_for(*pool.device, Box(1, pool.variables, count), kernel);
  parallel_ranges(count, pool.threads, [&](Index first, Index last, int) {
    for (Index v = 0; v < pool.variables; ++v)
      for (Index n = first; n < last; ++n)
        kernel(0, v, n);
  });
}

/// Copy of a list in a device's memory, freed by the destructor. Holds nothing if the pool is on
/// the host.
template <class Op> class ListOnDevice {
public:
  ListOnDevice(const BlockPool &pool, const std::vector<Op> &ops) : pool_(&pool) {
    if (!pool.device || ops.empty()) return;
    copy_ = allocate_on(*pool.device, ops.size() * sizeof(Op));
    pool.device->copy(copy_.get(), ops.data(), ops.size() * sizeof(Op));
  }
  ~ListOnDevice() {
    if (copy_ != nullptr) pool_->device->synchronize();
  }
  ListOnDevice(const ListOnDevice &) = delete;
  ListOnDevice &operator=(const ListOnDevice &) = delete;
  const Op *get() const { return static_cast<const Op *>(copy_.get()); }

private:
  const BlockPool *pool_;
  std::shared_ptr<void> copy_;
};

} // namespace hybridfft::grid::detail
