/// The problem: velocity-stress waves in a linear elastic solid, on a staggered grid.
///
///     rho v' = div s + f,   s' = lambda tr(e') I + 2 mu e' - M' delta,   e' = sym grad v
///
/// with a body force f and moment rates M' at points (Virieux, Geophysics 51 (1986); fourth order
/// in space: Levander, Geophysics 53 (1988)).
/// Positions in a cell, in units of its edge h: normal stresses (0,0,0), the centre; vx (1/2,0,0),
/// vy (0,1/2,0), vz (0,0,1/2); sxy (1/2,1/2,0), sxz (1/2,0,1/2), syz (0,1/2,1/2). Velocities are
/// computed at times (n + 1/2) dt, stresses at n dt.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "hybridfft/grid/array.hpp"
#include "hybridfft/grid/cartesian.hpp"
#include "hybridfft/grid/regions.hpp"
#include "solvers/elastic/scheme.h"

namespace hybridfft::elastic {

/// Kind of the side at z = -h/2, above cells k = 0. The values of sxz, syz and vz for k = -1 lie on
/// this plane.
enum class Surface {
  none, ///< an ordinary side
  fs2,  ///< stress-free by images, of second order (Gottschaemmer and Olsen, BSSA 91 (2001))
  fs4   ///< stress-free by one-sided differences, of fourth order (Kristek, Moczo and Archuleta,
        ///< Stud. Geophys. Geod. 46 (2002)); for smooth media near the surface
};

/// Absorbing layers at all sides except periodic and free ones. In each step all fields are
/// multiplied by exp(-(a d)^2) at a depth of d cells in the layer (Cerjan et al., Geophysics 50
/// (1985)). The constant a follows from the factor `edge` of the outermost cell.
struct Sponge {
  Index width = 0;    ///< thickness in cells; 0: no layers
  double edge = 0.92; ///< factor of the outermost cell, 0 < edge <= 1
};

/// Attenuation with constant quality factors over a frequency band, by memory variables. Each cell
/// of a 2 x 2 x 2 group has one of eight relaxation times (Day, BSSA 88 (1998); Day and Bradley,
/// BSSA 91 (2001)).
struct Quality {
  double p = 0, s = 0; ///< quality factors of P and S waves; the minimum over cells if they vary
  double lowest = 0, highest = 0; ///< limits of the frequency band, Hz
  double reference = 0;           ///< frequency at which vp and vs are given, Hz
  bool in_cells = false;          ///< true if each cell has its own quality factors, see Cells
};

/// The grid, time steps and boundary conditions of a problem.
struct Problem {
  Index3 cells;  ///< number of cells along x, y, z; z is contiguous and points down
  double h = 0;  ///< edge of a cell, in m
  double dt = 0; ///< s
  std::int64_t steps = 0;
  grid::Periodic periodic = {false, false, false}; ///< beyond other sides all fields are zero
  Surface surface = Surface::none;
  Sponge sponge;
  std::optional<Quality> quality;

  /// Number of grid planes above the cells: one at a free surface, else none.
  Index planes_above() const { return surface == Surface::none ? 0 : 1; }
  /// Returns the alignment of array number n of a block. The first cell of each row starts a cache
  /// line, and different arrays start at different sets of the cache.
  grid::Alignment alignment(const grid::Box &block, int n) const {
    return {std::max<Index>(0, planes_above() - block.lo[2]), Index{5} * n};
  }
  /// Extents of the grid. Its point (i, j, k + planes_above()) is cell (i, j, k).
  Index3 extents() const { return {{cells[0], cells[1], cells[2] + planes_above()}}; }
};

/// Returns the maximum stable time step, h / (vp sqrt(3) (|near| + |far|)).
inline double largest_time_step(double h, double vp) {
  return h / (vp * std::sqrt(3.) * (std::abs(near) + std::abs(far)));
}

// Variants of the ghost exchange in a time step. All give the same results; the fastest depends on
// the network.

/// Ghost layers that neighbours exchange in each time step.
enum class GhostExchange {
  each, ///< velocities, then stresses, two layers of each: 36 field layers per axis
  /// Only velocities, four layers: 24 field layers, half the messages. Each rank computes the
  /// stresses in two ghost layers itself (Zhou et al., Procedia CS 18 (2013)).
  wide,
  least ///< velocities, then stresses, but only layers read by differences along each axis: 18
        ///< layers
};

/// Numbers of ghost layers for a variant of the exchange.
struct ExchangeWidths {
  std::array<grid::Widths, fields> of_field;
  bool stresses = true; ///< true if stresses are exchanged
  grid::Widths ghosts;  ///< ghosts of all arrays, large enough for every field
};

/// Returns the layers for a variant of the exchange.
ExchangeWidths exchange_widths(GhostExchange exchange);

/// Returns `width` at those faces of a block that have a neighbouring block, and 0 at other faces.
grid::Widths inner_faces(const grid::Cartesian &cartesian, int block, Index width);

} // namespace hybridfft::elastic
