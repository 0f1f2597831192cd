/// The memory of Blocks: slots of equal size. A host pool takes pages only for used slots.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "grid/block_kernels.h"
#include "hybridfft/grid/blocks.hpp"

namespace hybridfft::grid::detail {

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
  /// Extends the memory of a device to slots below `count`.
  void reserve(Index count);
  /// Copies one slot to another, or between the pool and the host.
  void copy_slot(Index to, Index from);
  void read_slot(Index n, std::byte *to) const;
  void write_slot(Index n, const std::byte *from);

  template <class T> kernels::Values<T> values() const {
    T *const first = reinterpret_cast<T *>(memory.get());
    return {first + lead, strides[0], strides[1], strides[2], strides[3]};
  }
  template <class T> T *first() const { return reinterpret_cast<T *>(memory.get()); }

  std::uint64_t number; ///< number among the forest's pools, the same on all ranks
  std::optional<Device> device;
  int variables;
  BlockTraits traits;
  std::size_t value_bytes;
  int threads;
  kernels::Shape shape; ///< cells and ghosts of the forest's blocks
  Index3 extents;       ///< inner points along each axis
  Index3 ghosts;        ///< ghosts along each axis
  Index strides[4];     ///< elements between slots, variables, i, j
  Index lead;           ///< elements from the first ghost to point (0, 0, 0)
  Index capacity = 0;   ///< slots in the reserved range of addresses
  std::shared_ptr<std::byte> memory;
  std::shared_ptr<void> absent_values; ///< ghosts in absent trees, by tree; nullptr: from `traits`
};

} // namespace hybridfft::grid::detail
