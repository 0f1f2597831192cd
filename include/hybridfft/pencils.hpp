/// \file pencils.hpp
/// Pencil layouts in C++ and process grids for them. Choose pencils if there are more ranks than
/// planes of a slab.
#ifndef HYBRIDFFT_PENCILS_HPP
#define HYBRIDFFT_PENCILS_HPP

#include "hybridfft/require_cxx20.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "hybridfft/hybridfft.hpp"

namespace hybridfft {

/// Pencils on a process grid: points distributed along axes 0 and 1, their spectrum along axes 1
/// and 2. With two axes, points are distributed along axis 0 only, and the spectrum along axis 1.
struct Pencils {
  Layout points;   ///< distributed along axes 0 and 1
  Layout spectrum; ///< distributed along axes 1 and 2
};
/// Returns pencils with a pruned spectrum (Options::modes).
/// \param extents extents of the (real) grid
/// \param modes retained modes along each axis; for real points the spectrum has modes/2+1 points
///   along the last axis
/// \param grid process grid
/// \param real true for real points: the last axis of the spectrum is halved
/// \param options memory order, padding and values per point
inline Pencils pruned_pencils(std::span<const std::ptrdiff_t> extents,
                              std::span<const std::ptrdiff_t> modes, const std::array<int, 2> &grid,
                              bool real, const Layout::Options &options = {}) {
  std::vector<std::ptrdiff_t> m(modes.begin(), modes.end());
  std::vector<int> before(extents.size(), 1);
  std::vector<int> after(m.size(), 1);
  for (std::size_t i = 0; i < 2 && i + 1 < std::min(extents.size(), m.size()); ++i)
    before[i] = after[i + 1] = grid[i];
  if (real) m.back() = m.back() / 2 + 1;
  return {Layout::grid(extents, before, options), Layout::grid(m, after, options)};
}
/// Returns pencils with all modes; the parameters match pruned_pencils().
inline Pencils pencils(std::span<const std::ptrdiff_t> extents, const std::array<int, 2> &grid,
                       bool real, const Layout::Options &options = {}) {
  return pruned_pencils(extents, extents, grid, real, options);
}

/// Returns the process grid of pencils for these extents: the fastest one or, with
/// Effort::estimate, the grid nearest to a square. The transform keeps all modes. Options::modes
/// and Options::threads are ignored: the function uses the number of threads set by
/// plan_with_nthreads. Collective. Throws Error.
template <class Real, Kind K>
std::array<int, 2> choose_grid(std::span<const std::ptrdiff_t> extents, const Options &options = {},
                               Fields fields = Fields::interleaved) {
  std::array<int, 2> grid{};
  if (detail::Api<Real>::choose_grid(static_cast<int>(K), extents, options,
                                     fields == Fields::separate ? HFFT_SEPARATE : HFFT_INTERLEAVED,
                                     grid.data()) != HFFT_SUCCESS)
    detail::Api<Real>::raise();
  return grid;
}

} // namespace hybridfft

#endif
