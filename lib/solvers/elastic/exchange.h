/// Variants of the ghost exchange in a time step. All give the same results; the fastest depends on
/// the network.
#pragma once

#include <array>

#include "hybridfft/grid/regions.hpp"
#include "solvers/elastic/problem.h"

namespace hybridfft::elastic {

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

/// Returns `width` at faces of a block with neighbouring points in the grid, and 0 at other faces.
grid::Widths inner_faces(const grid::Cartesian &cartesian, int block, Index width);

} // namespace hybridfft::elastic
