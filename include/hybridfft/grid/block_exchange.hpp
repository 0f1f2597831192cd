/// \file grid/block_exchange.hpp
/// Fills the ghosts of blocks: equal neighbours, finer and coarser ones, ends of the domain, and
/// messages from other ranks. Corrects fluxes between levels.
#ifndef HYBRIDFFT_GRID_BLOCK_EXCHANGE_HPP
#define HYBRIDFFT_GRID_BLOCK_EXCHANGE_HPP

#include <array>
#include <memory>
#include <span>

#include "hybridfft/export.h"
#include "hybridfft/grid/blocks.hpp"
#include "hybridfft/grid/halo.hpp"

namespace hybridfft::grid {

namespace detail {

/// BlockHalo without a list of types.
class HFFT_EXPORT BlockExchange {
public:
  BlockExchange(Forest &forest, std::span<AnyBlocks *const> blocks);
  ~BlockExchange();
  BlockExchange(BlockExchange &&) noexcept;
  BlockExchange &operator=(BlockExchange &&) noexcept;
  void start();
  bool test();
  void finish();
  HaloTimes times() const;
  Index bytes_sent() const;
  Index messages_sent() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

HFFT_EXPORT void exchange_blocks(Forest &forest, std::span<AnyBlocks *const> blocks);
HFFT_EXPORT void correct_fluxes_of(const Forest &forest, std::span<AnyBlocks *const> faces);

} // namespace detail

/// Fills all ghosts of blocks of cells or nodes; copies of shared nodes become equal. Of
/// forest.halo_depth() calls with the same objects, the first sends one message to each
/// neighbouring rank, for all of them together; the others work within the rank. Changes of the
/// mesh and Forest::touch() let the next call communicate. Collective. Throws
/// Error(HFFT_ERROR_ARGUMENT) for Blocks of faces or of another forest, Error(HFFT_ERROR_MPI).
template <class... B> void exchange(Forest &forest, B &...blocks) {
  const std::array<detail::AnyBlocks *, sizeof...(B)> all{&blocks...};
  detail::exchange_blocks(forest, all);
}

/// Sets fluxes at faces to finer blocks to the mean of the 2^(d-1) finer ones: the scheme conserves
/// sums then. Works within the rank: for_blocks() computes the finer faces of ghost blocks, too.
/// Throws Error(HFFT_ERROR_ARGUMENT) for Blocks that are not fluxes.
template <class... B> void correct_fluxes(const Forest &forest, B &...faces) {
  const std::array<detail::AnyBlocks *, sizeof...(B)> all{&faces...};
  detail::correct_fluxes_of(forest, all);
}

/// exchange() in parts, of objects that are named once. The values of inner points may not be
/// written, and ghosts neither read nor written, between start() and finish(). All calls but
/// times(), bytes_sent() and messages_sent() are collective.
class BlockHalo {
public:
  /// \param forest the mesh
  /// \param blocks Blocks of cells or nodes; they outlive this object and keep their places
  template <class... B>
  explicit BlockHalo(Forest &forest, B &...blocks)
      : exchange_(forest, std::array<detail::AnyBlocks *, sizeof...(B)>{&blocks...}) {}

  /// Sends what other ranks need, if this call communicates.
  void start() { exchange_.start(); }
  /// Lets messages progress. \return true if all of them have arrived
  bool test() { return exchange_.test(); }
  /// Waits for messages and fills the ghosts.
  void finish() { exchange_.finish(); }
  /// Seconds of all exchanges so far on this rank, by phase.
  HaloTimes times() const { return exchange_.times(); }
  /// Bytes that this rank sends in an exchange that communicates.
  Index bytes_sent() const { return exchange_.bytes_sent(); }
  /// Messages of such an exchange: one for each neighbouring rank.
  Index messages_sent() const { return exchange_.messages_sent(); }

private:
  detail::BlockExchange exchange_;
};

} // namespace hybridfft::grid

#endif
