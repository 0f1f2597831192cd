#include "solvers/elastic/problem.h"

namespace hybridfft::elastic {

namespace {

/// Sets the ghost layers read by fourth-order staggered differences along an axis. The result lies
/// midway between values: two layers are read on one side and one layer on the other.
void read_along(grid::Widths &widths, int axis, bool ahead) {
  widths.below[axis] = ahead ? 1 : 2;
  widths.above[axis] = ahead ? 2 : 1;
}

} // namespace

ExchangeWidths exchange_widths(GhostExchange exchange) {
  ExchangeWidths e;
  const Index layers = exchange == GhostExchange::wide ? 4 : 2;
  e.ghosts = grid::Widths::all(layers);
  e.stresses = exchange != GhostExchange::wide;
  e.of_field.fill(e.ghosts);
  if (exchange != GhostExchange::least) return e;
  e.of_field = {};
  for (int v = 0; v < velocities; ++v)
    for (int axis = 0; axis < 3; ++axis)
      read_along(e.of_field[static_cast<std::size_t>(v)], axis, axis != v);
  for (std::size_t s = 0; s < stresses; ++s)
    for (const int axis : stress_axes[s])
      read_along(e.of_field[velocities + s], axis, s < 3);
  return e;
}

grid::Widths inner_faces(const grid::Cartesian &cartesian, int block, Index width) {
  grid::Widths faces;
  for (int axis = 0; axis < 3; ++axis) {
    Index3 step;
    step[axis] = -1;
    if (cartesian.neighbour(block, step)) faces.below[axis] = width;
    step[axis] = 1;
    if (cartesian.neighbour(block, step)) faces.above[axis] = width;
  }
  return faces;
}

} // namespace hybridfft::elastic
