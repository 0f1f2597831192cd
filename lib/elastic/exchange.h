/// Schemes of ghost exchange per time step: three, with the same results.
#pragma once

#include <array>

#include "elastic/problem.h"
#include "hybridfft/grid/regions.hpp"

namespace hybridfft::elastic {

/// The ghost layers that neighbours exchange in a time step.
enum class Exchange {
  each, ///< velocities, then stresses, two layers of all: 36 layers of a field per axis
  wide, ///< velocities alone, four layers, from which stresses are computed in two layers of ghosts
        ///< (Zhou et al., Procedia CS 18 (2013)): 24 layers, half the messages
  least ///< velocities, then stresses, only layers that differences along each axis read: 18
};

/// Layers of the fields that go to neighbours.
struct ExchangeWidths {
  std::array<grid::Widths, fields> of_field;
  bool stresses = true; ///< stresses are exchanged
  grid::Widths ghosts;  ///< ghosts that all arrays have
};

/// The layers of a way of exchange.
ExchangeWidths exchange_widths(Exchange exchange);

/// `width` at the faces of a block behind which there are points of the grid, 0 at the others.
grid::Widths inner_faces(const grid::Cartesian &cartesian, int block, Index width);

} // namespace hybridfft::elastic
