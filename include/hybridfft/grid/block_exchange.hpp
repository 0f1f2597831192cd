/// \file grid/block_exchange.hpp
/// Halo exchange for adaptive meshes: fills the ghosts of blocks from neighbours of the same, finer
/// or coarser level on any rank. It also sets the ghosts beyond ends of the domain, and corrects
/// fluxes between levels.
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

/// Implementation of BlockHalo for a list of objects of any types.
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

/// Fills all ghosts of Blocks of cells or nodes, and makes copies of shared nodes equal. Of
/// forest.halo_depth() successive calls with the same objects, only the first sends messages: one
/// to each neighbouring rank, for all objects. The first call after a change of the mesh or after
/// Forest::touch() always sends messages. Collective.
/// \throws Error(HFFT_ERROR_ARGUMENT) for Blocks of faces or of another forest;
/// Error(HFFT_ERROR_MPI)
template <class... B> void exchange(Forest &forest, B &...blocks) {
  const std::array<detail::AnyBlocks *, sizeof...(B)> all{&blocks...};
  detail::exchange_blocks(forest, all);
}

/// Makes fluxes conservative between levels: a flux at a face shared with finer blocks becomes the
/// mean of the 2^(d-1) finer fluxes, with d = 2 or 3 dimensions. Sends no messages, because
/// for_blocks() also computes the finer faces in ghost blocks.
/// \throws Error(HFFT_ERROR_ARGUMENT) for Blocks that are not fluxes on faces
template <class... B> void correct_fluxes(const Forest &forest, B &...faces) {
  const std::array<detail::AnyBlocks *, sizeof...(B)> all{&faces...};
  detail::correct_fluxes_of(forest, all);
}

/// Splits exchange() into start() and finish(), for a fixed list of objects, to compute while
/// messages are in flight. Between the two calls, inner points must not be written and ghosts not
/// accessed. All calls except times(), bytes_sent() and messages_sent() are collective.
class BlockHalo {
public:
  /// \param forest the mesh
  /// \param blocks Blocks of cells or nodes; they must outlive this object and stay at their
  /// addresses
  template <class... B>
  explicit BlockHalo(Forest &forest, B &...blocks)
      : exchange_(forest, std::array<detail::AnyBlocks *, sizeof...(B)>{&blocks...}) {}

  /// Starts an exchange, and sends values to other ranks if this call communicates.
  void start() { exchange_.start(); }
  /// Advances messages in flight.
  /// \return true if all of them have arrived
  bool test() { return exchange_.test(); }
  /// Waits for messages and fills the ghosts.
  void finish() { exchange_.finish(); }
  /// Seconds of all exchanges so far on this rank, by phase.
  HaloTimes times() const { return exchange_.times(); }
  /// Bytes sent by this rank in an exchange that communicates.
  Index bytes_sent() const { return exchange_.bytes_sent(); }
  /// Number of messages sent by this rank in an exchange that communicates: one to each
  /// neighbouring rank.
  Index messages_sent() const { return exchange_.messages_sent(); }

private:
  detail::BlockExchange exchange_;
};

} // namespace hybridfft::grid

#endif
