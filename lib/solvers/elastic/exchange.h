/// Schemes of ghost exchange per time step. All three have the same results.
#pragma once

#include <array>

#include "hybridfft/grid/regions.hpp"
#include "solvers/elastic/problem.h"

namespace hybridfft::elastic {

/// The ghost layers exchanged by neighbours in a time step.
enum class GhostExchange {
  each, ///< velocities, then stresses, two layers of each: 36 layers of a field per axis
  /// only velocities, four layers; each rank computes the stresses in two layers of ghosts itself
  /// (Zhou et al., Procedia CS 18 (2013)): 24 layers, half the messages
  wide,
  least ///< velocities, then stresses, but only layers read by differences along each axis: 18
        ///< layers
};

/// Layers of the fields sent to neighbours.
struct ExchangeWidths {
  std::array<grid::Widths, fields> of_field;
  bool stresses = true; ///< true if stresses are exchanged
  grid::Widths ghosts;  ///< common ghosts of all arrays
};

/// Returns the layers of a method of exchange.
ExchangeWidths exchange_widths(GhostExchange exchange);

/// Returns `width` at the faces of a block next to other points of the grid, and 0 at other faces.
grid::Widths inner_faces(const grid::Cartesian &cartesian, int block, Index width);

} // namespace hybridfft::elastic
