/// \file grid/blocks.hpp
/// Fields on an adaptive mesh: each object stores the values of all blocks of a forest, with
/// ghosts, in one contiguous pool on the host or on a device.
#ifndef HYBRIDFFT_GRID_BLOCKS_HPP
#define HYBRIDFFT_GRID_BLOCKS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "hybridfft/export.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/block_view.hpp"
#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/forest.hpp"

namespace hybridfft::grid {

/// Options of a Blocks object: the points with values, and the values of their ghosts.
struct BlockTraits {
  Centring centring = Centring::cell; ///< points that carry values: cells, nodes or faces
  Interpolation interpolation =
      Interpolation::limited; ///< interpolation from coarser blocks to ghosts
  /// Ghost values beyond the domain: [axis][low, high end]. Nodes always have End::keep.
  std::array<std::array<End, 2>, 3> sides{};
  End absent = End::keep; ///< ghost values in absent trees
  int vector = -1;        ///< first of the variables that form a vector (x, y[, z]); -1: none
  /// For cells: if true, exchange() also fills ghosts beyond edges and corners. If all kernels read
  /// along axes only, set it to false; an exchange of small blocks then takes half the time.
  bool edges = true;
};

namespace detail {

/// Memory of a Blocks object: one slot for each block, without the type of the values.
struct BlockPool;

/// Base of Blocks, without the type of the values. std::swap() exchanges the contents of two
/// objects but not their id().
class HFFT_EXPORT AnyBlocks {
public:
  AnyBlocks(const Forest &forest, const Device *device, int variables, const BlockTraits &traits,
            std::size_t value_bytes, int threads);
  ~AnyBlocks();
  AnyBlocks(AnyBlocks &&other) noexcept;
  AnyBlocks &operator=(AnyBlocks &&other) noexcept;

  /// Number that identifies this object; no other object has the same one.
  std::uint64_t id() const { return id_; }
  /// The pool with the values.
  BlockPool &pool() const { return *pool_; }
  /// State of the forest to which the blocks belong.
  const std::shared_ptr<ForestState> &forest() const { return forest_; }
  /// Number of variables at each point.
  int variables() const;
  /// Returns the options passed to the constructor.
  const BlockTraits &traits() const;
  /// The device that holds the values; nullptr if they are on the host.
  const Device *device() const;
  /// Size in bytes of all slots used so far.
  std::size_t bytes() const;
  /// Copies a slot's inner values to or from host memory; see read_block() and write_block().
  void read_values(Index slot, void *values) const;
  void write_values(Index slot, const void *values) const;

protected:
  /// Sets the constant ghost value of each absent tree; `values` has one entry for each tree.
  void set_absent(std::size_t trees, const void *values);
  /// Returns the address of point (0, 0, 0) of the first slot, and sets `strides` for a BlockView.
  void *origin(Index (&strides)[4]) const;
  /// Makes another object with the same shape.
  AnyBlocks similar() const;

private:
  AnyBlocks(std::shared_ptr<ForestState> forest, std::unique_ptr<BlockPool> pool);

  std::uint64_t id_;
  std::shared_ptr<ForestState> forest_;
  std::unique_ptr<BlockPool> pool_;
};

} // namespace detail

/// Values at the points of all blocks of a forest, indexed [slot][variable][i][j][k] with ghosts,
/// initially zero. A block has the same slot in all Blocks of its forest. std::swap() exchanges the
/// contents of two objects.
/// \tparam T float or double
template <class T> class Blocks : public detail::AnyBlocks {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);

public:
  /// Makes Blocks on the host. It reserves address space for all slots; the operating system
  /// assigns memory when a slot is first used.
  /// \param forest    the mesh
  /// \param place     Place::host
  /// \param variables number of values at each point
  /// \param traits kind of points, interpolation and values beyond ends
  /// \param threads   threads used by exchange()
  /// \throws Error(HFFT_ERROR_ARGUMENT) for Place::device, variables < 1, or a vector with
  /// components beyond the variables; Error(HFFT_ERROR_OUT_OF_MEMORY)
  Blocks(const Forest &forest, Place place, int variables = 1, const BlockTraits &traits = {},
         int threads = 1)
      : AnyBlocks(forest, nullptr, variables, traits, sizeof(T), threads) {
    detail::require_host(place);
  }
  /// Makes Blocks in a device's memory. Only kernels can access the values.
  Blocks(const Device &device, const Forest &forest, int variables = 1,
         const BlockTraits &traits = {})
      : AnyBlocks(forest, &device, variables, traits, sizeof(T), 1) {}

  /// Returns a view indexed by the points of for_blocks(). std::swap() of this object invalidates
  /// the view.
  BlockView<T> view() const {
    Index strides[4];
    void *const data = origin(strides);
    return BlockView<T>(static_cast<T *>(data), strides);
  }

  /// Replaces BlockTraits::absent: ghosts in an absent tree get the constant sign * value.
  /// \param sign factor of each tree, row-major; used while the tree is absent
  /// \param value magnitude, such as the largest distance stored in a narrow band
  /// \throws Error(HFFT_ERROR_ARGUMENT) unless there is one sign for each tree, and for Blocks of
  /// nodes or faces
  void absent(std::span<const std::int8_t> sign, T value) {
    std::vector<T> values;
    for (const std::int8_t s : sign)
      values.push_back(static_cast<T>(s) * value);
    set_absent(values.size(), values.data());
  }

private:
  template <class U> friend Blocks<U> like(const Blocks<U> &blocks);
  explicit Blocks(AnyBlocks &&other) : AnyBlocks(std::move(other)) {}
};

/// Makes Blocks with the same forest, place, variables and traits, initially zero.
template <class T> Blocks<T> like(const Blocks<T> &blocks) { return Blocks<T>(blocks.similar()); }

/// Copies the inner values of one slot to host memory. Variables follow each other; each is
/// row-major.
/// \param blocks on the host or on a device
/// \param slot slot of a leaf of this rank, or of a ghost block
/// \param values array of (inner points times variables) elements
template <class T> void read_block(const Blocks<T> &blocks, Index slot, T *values) {
  blocks.read_values(slot, values);
}
/// Sets the inner values of one slot from host memory, with the arguments of read_block().
template <class T> void write_block(const Blocks<T> &blocks, Index slot, const T *values) {
  blocks.write_values(slot, values);
}

} // namespace hybridfft::grid

#endif
