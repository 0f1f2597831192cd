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
#include <type_traits>
#include <utility>

#include "hybridfft/export.h"
#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/device.hpp"
#include "hybridfft/grid/forest.hpp"

namespace hybridfft::grid {

/// The points of a block that have values.
enum class Centring {
  cell, ///< n along each axis, with ghosts
  node, ///< n + 1 along each axis, with ghosts; copies of a shared node are equal after exchange()
  face_i, ///< n + 1 along i, without ghosts: fluxes along z
  face_j, ///< n + 1 along j: fluxes along y
  face_k  ///< n + 1 along k: fluxes along x
};

/// Interpolation from coarser cells: c + sum of (+-1/4) s, with a slope s along each axis.
enum class Interpolation {
  limited, ///< central slopes, cut so that no new extremum appears
  linear,  ///< central slopes
  copy     ///< no slopes
};

/// Ghosts of cells beyond an end of the domain.
enum class End {
  keep,    ///< left to the user
  outflow, ///< the nearest cell
  wall     ///< mirrored; the normal component of a vector changes its sign
};

/// Points, interpolation and ends of a Blocks object.
struct BlockTraits {
  Centring centring = Centring::cell;
  Interpolation interpolation = Interpolation::limited;
  /// Ends of the box of trees: [axis][low, high]. Ends of nodes are always kept.
  std::array<std::array<End, 2>, 3> sides{};
  End absent = End::keep; ///< faces to absent trees
  int vector = -1;        ///< first of the variables that are a vector (x, y[, z]); -1: none
};

/// A point of a block, as for_blocks() passes it.
struct Cell {
  Index slot = 0;            ///< slot of the block in the pools
  Index i = 0, j = 0, k = 0; ///< number of the point in its block, from 0 on
  int level = 0;             ///< level of the block
  Index3 place;              ///< place of the block in blocks of its level
};

/// Indexes a pool. Borrows the memory; small, and copied into lambdas.
template <class T> class BlockView {
public:
  /// A view of nothing.
  BlockView() = default;
  /// Element (slot, variable, i, j, k) is data[slot * strides[0] + variable * strides[1] +
  /// i * strides[2] + j * strides[3] + k].
  HFFT_HOST_DEVICE BlockView(T *data, const Index (&strides)[4])
      : data_(data), slot_(strides[0]), variable_(strides[1]), i_(strides[2]), j_(strides[3]) {}

  /// The value at a point.
  HFFT_HOST_DEVICE T &operator()(const Cell &c, Index variable = 0) const {
    return data_[c.slot * slot_ + variable * variable_ + c.i * i_ + c.j * j_ + c.k];
  }
  /// The value `di`, `dj`, `dk` points away in the same block, ghosts included.
  HFFT_HOST_DEVICE T &operator()(const Cell &c, Index variable, Index di, Index dj,
                                 Index dk) const {
    return data_[c.slot * slot_ + variable * variable_ + (c.i + di) * i_ + (c.j + dj) * j_ + c.k +
                 dk];
  }
  /// The value at a point of a slot.
  HFFT_HOST_DEVICE T &at(Index slot, Index variable, Index i, Index j, Index k) const {
    return data_[slot * slot_ + variable * variable_ + i * i_ + j * j_ + k];
  }
  /// Elements from one point to the next along an axis.
  HFFT_HOST_DEVICE Index stride(int axis) const { return axis == 0 ? i_ : axis == 1 ? j_ : 1; }
  /// Elements from one variable to the next.
  HFFT_HOST_DEVICE Index variable_stride() const { return variable_; }
  /// Elements from one slot to the next.
  HFFT_HOST_DEVICE Index slot_stride() const { return slot_; }

private:
  T *data_ = nullptr; ///< point (0, 0, 0) of variable 0 of slot 0
  Index slot_ = 0, variable_ = 0, i_ = 0, j_ = 0;
};

namespace detail {

/// A pool without the type of its values.
struct BlockPool;

/// Blocks without the type of their values. An object keeps its identity when contents are swapped.
class HFFT_EXPORT AnyBlocks {
public:
  AnyBlocks(const Forest &forest, const Device *device, int variables, const BlockTraits &traits,
            std::size_t value_bytes, int threads);
  ~AnyBlocks();
  AnyBlocks(AnyBlocks &&other) noexcept;
  AnyBlocks &operator=(AnyBlocks &&other) noexcept;

  /// Number of this object, of which no other one has the same.
  std::uint64_t id() const { return id_; }
  /// The values.
  BlockPool &pool() const { return *pool_; }
  /// The forest's state.
  const std::shared_ptr<ForestState> &forest() const { return forest_; }
  /// Numbers of variables of each block, and of points and ghosts along each axis.
  int variables() const;
  /// The points, interpolation and ends.
  const BlockTraits &traits() const;
  /// The device that has the values; nullptr: the host.
  const Device *device() const;
  /// Bytes of the slots that have been used so far.
  std::size_t bytes() const;

protected:
  /// Address of point (0, 0, 0) of the first block, and distances as BlockView has them.
  void *origin(Index (&strides)[4]) const;
  /// Another object of the same shape.
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
  /// \param forest    the mesh
  /// \param place     Place::host
  /// \param variables values of each point
  /// \param traits    points, interpolation and ends
  /// \param threads   threads that exchange() uses
  /// Reserves addresses; pages are taken when slots are used. Throws Error(HFFT_ERROR_ARGUMENT) for
  /// Place::device, variables < 1 or a vector beyond them, Error(HFFT_ERROR_OUT_OF_MEMORY).
  Blocks(const Forest &forest, Place place, int variables = 1, const BlockTraits &traits = {},
         int threads = 1)
      : AnyBlocks(forest, nullptr, variables, traits, sizeof(T), threads) {
    detail::require_host(place);
  }
  /// The same in memory of a device, where kernels alone may touch the values.
  Blocks(const Device &device, const Forest &forest, int variables = 1,
         const BlockTraits &traits = {})
      : AnyBlocks(forest, &device, variables, traits, sizeof(T), 1) {}

  /// Indexed by the points of for_blocks(); valid until contents are swapped.
  BlockView<T> view() const {
    Index strides[4];
    void *const data = origin(strides);
    return BlockView<T>(static_cast<T *>(data), strides);
  }

private:
  template <class U> friend Blocks<U> like(const Blocks<U> &blocks);
  explicit Blocks(AnyBlocks &&other) : AnyBlocks(std::move(other)) {}
};

/// Other Blocks of the same forest, place, variables and traits, zero at first.
template <class T> Blocks<T> like(const Blocks<T> &blocks) { return Blocks<T>(blocks.similar()); }

/// Copies the inner values of a slot to memory of the host: variable by variable, row-major.
/// \param blocks of the host or of a device
/// \param slot   of an own leaf or a ghost block
/// \param values as many as the block has inner points times variables
template <class T> HFFT_EXPORT void read_block(const Blocks<T> &blocks, Index slot, T *values);
/// Sets the inner values of a slot from memory of the host. Arguments as those of read_block().
template <class T>
HFFT_EXPORT void write_block(const Blocks<T> &blocks, Index slot, const T *values);

} // namespace hybridfft::grid

#endif
