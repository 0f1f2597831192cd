/// \file pencils.hpp
/// Pencils in C++: their layouts, and process grids for them.
#ifndef HYBRIDFFT_PENCILS_HPP
#define HYBRIDFFT_PENCILS_HPP

#include "hybridfft/require_cxx20.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "hybridfft/hybridfft.hpp"

namespace hybridfft {

/// Pencils on a process grid: points cut along axes 0 and 1, their spectrum cut along axes 1 and 2
/// (of an array of two axes: along axis 0 and along axis 1).
struct Pencils {
  Layout points;   ///< cut along axes 0 and 1
  Layout spectrum; ///< cut along axes 1 and 2
};
/// Pencils with a pruned spectrum (Options::modes). extents and modes are those of real transforms,
/// whose last axis is halved in the spectrum if `real`.
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
/// Pencils of all modes.
inline Pencils pencils(std::span<const std::ptrdiff_t> extents, const std::array<int, 2> &grid,
                       bool real, const Layout::Options &options = {}) {
  return pruned_pencils(extents, extents, grid, real, options);
}

/// The process grid of pencils for these extents: the fastest one or, with Effort::estimate, the
/// one nearest to a square. That of the transform of all modes: Options::modes does not count, nor
/// does Options::threads, but plan_with_nthreads in hybridfft.h. Collective. Throws Error.
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
