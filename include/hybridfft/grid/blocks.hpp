/// \file grid/blocks.hpp
/// Values on the blocks of a forest: one pool of equal blocks with ghosts, in the memory of the
/// host or of a device.
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

/// Points, interpolation and ends of a Blocks object.
struct BlockTraits {
  Centring centring = Centring::cell; ///< kind of points that have values
  Interpolation interpolation =
      Interpolation::limited; ///< interpolation from coarser blocks to ghosts
  /// Values beyond the sides of the box of trees: [axis][low, high]. Nodes always have End::keep.
  std::array<std::array<End, 2>, 3> sides{};
  End absent = End::keep; ///< values beyond faces to absent trees
  int vector = -1;        ///< first of the variables of a vector (x, y[, z]); -1: no vector
  /// Cells: exchange() also fills ghosts beyond edges and corners. Set it to false if all kernels
  /// read along axes: an exchange of small blocks then takes half the time.
  bool edges = true;
};

namespace detail {

/// A pool of slots, without the type of its values.
struct BlockPool;

/// Base of Blocks, without the type of the values. std::swap() exchanges contents; the id() of each
/// object stays.
class HFFT_EXPORT AnyBlocks {
public:
  AnyBlocks(const Forest &forest, const Device *device, int variables, const BlockTraits &traits,
            std::size_t value_bytes, int threads);
  ~AnyBlocks();
  AnyBlocks(AnyBlocks &&other) noexcept;
  AnyBlocks &operator=(AnyBlocks &&other) noexcept;

  /// A number that no other object has.
  std::uint64_t id() const { return id_; }
  /// The values.
  BlockPool &pool() const { return *pool_; }
  /// The forest's state.
  const std::shared_ptr<ForestState> &forest() const { return forest_; }
  /// Number of variables of each point, and numbers of inner points and ghosts along each axis.
  int variables() const;
  /// Returns where the values lie in their cells, how they are interpolated, and what lies beyond
  /// ends.
  const BlockTraits &traits() const;
  /// The device with the values; nullptr: the host has them.
  const Device *device() const;
  /// Bytes of the slots that have been used so far.
  std::size_t bytes() const;
  /// Copy the inner values of a slot; see read_block() and write_block().
  void read_values(Index slot, void *values) const;
  void write_values(Index slot, const void *values) const;

protected:
  /// Sets the ghosts in absent trees, one value for each tree.
  void set_absent(std::size_t trees, const void *values);
  /// Address of point (0, 0, 0) of the first slot. Sets the strides as BlockView takes them.
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

/// Values of one type in all blocks of a forest: [slot][variable][i][j][k] with ghosts, zero at
/// first. All Blocks of a forest use the same slots. std::swap() exchanges contents.
/// \tparam T float or double
template <class T> class Blocks : public detail::AnyBlocks {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);

public:
  /// Makes Blocks on the host. It reserves addresses; the system assigns pages when slots are used.
  /// \param forest    the mesh
  /// \param place     Place::host
  /// \param variables number of values of each point
  /// \param traits    points, interpolation and ends
  /// \param threads   threads used by exchange()
  /// \throws Error(HFFT_ERROR_ARGUMENT) for Place::device, variables < 1 or a vector beyond them;
  /// Error(HFFT_ERROR_OUT_OF_MEMORY)
  Blocks(const Forest &forest, Place place, int variables = 1, const BlockTraits &traits = {},
         int threads = 1)
      : AnyBlocks(forest, nullptr, variables, traits, sizeof(T), threads) {
    detail::require_host(place);
  }
  /// Makes Blocks in memory of a device. Only kernels may access the values.
  Blocks(const Device &device, const Forest &forest, int variables = 1,
         const BlockTraits &traits = {})
      : AnyBlocks(forest, &device, variables, traits, sizeof(T), 1) {}

  /// A view indexed by the points of for_blocks(). It is valid until contents are swapped.
  BlockView<T> view() const {
    Index strides[4];
    void *const data = origin(strides);
    return BlockView<T>(static_cast<T *>(data), strides);
  }

  /// Sets the value of ghosts in absent trees, in place of BlockTraits::absent. It is constant in
  /// each tree.
  /// \param sign  for each tree, row-major: the factor of `value` while the tree is absent
  /// \param value such as the largest distance in a band around a surface
  /// \throws Error(HFFT_ERROR_ARGUMENT) for another number of trees, and for Blocks of nodes or
  /// faces
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

/// Makes Blocks with the same forest, place, variables and traits, zero at first.
template <class T> Blocks<T> like(const Blocks<T> &blocks) { return Blocks<T>(blocks.similar()); }

/// Copies the inner values of a slot to memory of the host: one variable after another, each
/// row-major.
/// \param blocks on the host or on a device
/// \param slot   slot of an own leaf or a ghost block
/// \param values room for the number of inner points times the number of variables
template <class T> void read_block(const Blocks<T> &blocks, Index slot, T *values) {
  blocks.read_values(slot, values);
}
/// Sets the inner values of a slot from memory of the host. The arguments are those of
/// read_block().
template <class T> void write_block(const Blocks<T> &blocks, Index slot, const T *values) {
  blocks.write_values(slot, values);
}

} // namespace hybridfft::grid

#endif
