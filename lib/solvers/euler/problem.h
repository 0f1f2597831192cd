/// Defines a problem: the Euler equations of a perfect gas with gravity on an adaptive mesh of
/// blocks.
///
///     U = (rho, rho v, E),   p = (gamma - 1) (E - rho v^2 / 2),   sources (0, rho g, rho v . g)
///
/// An optional table holds a hydrostatic pressure p0 along the axis of gravity. The solver then
/// stores E' = E - p0/(gamma - 1) instead of E, so that fluids at rest stay at rest exactly
/// (well-balanced scheme).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "hybridfft/grid/blocks.hpp"

namespace hybridfft::euler {

using grid::Index;
using grid::Index3;

/// Limiter of the third-order reconstruction at faces.
enum class Limiter { koren, none };

/// Mesh, fluid, boundary conditions and time steps of a problem.
struct Problem {
  grid::ForestShape shape;
  double h = 0;                    ///< edge length of the cells of level 0, m
  double gamma = 1.4;              ///< ratio of specific heats
  std::array<double, 3> gravity{}; ///< components along x, y, z, m/s^2
  std::vector<double> base;        ///< p0 at the faces of the finest cells, Pa; empty: no table
  int base_axis = 2;               ///< axis of the table: 0, 1, 2 for z, y, x
  std::array<std::array<grid::End, 2>, 3> sides{}; ///< by axis (z, y, x) and side (low, high)
  grid::End absent = grid::End::wall;              ///< boundary condition at absent trees
  Limiter limiter = Limiter::koren;

  std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  double t_end = std::numeric_limits<double>::infinity(); ///< s
  double dt = 0; ///< fixed time step, s; 0: computed from `cfl`
  double cfl = 0.8;
  std::int64_t dt_interval = 1; ///< number of steps between computations of dt
  std::optional<double> refine_above,
      coarsen_below;               ///< thresholds of the criterion; none: fixed mesh
  std::int64_t adapt_interval = 4; ///< steps between changes of the mesh
  int refine_by = 0;               ///< variable of the criterion: index in rho, u, v[, w], p
  bool leaves_given = false;       ///< true if the input has the initial mesh

  int dimensions() const { return shape.dimensions; }
  /// Number of variables: rho, momentum, E'.
  int variables() const { return shape.dimensions + 2; }
  /// Number of cells of the finest level along an axis (z, y, x).
  Index finest(int axis) const {
    return axis == 0 && dimensions() == 2 ? 1
                                          : (shape.trees[axis] * shape.cells) << shape.max_level;
  }
};

/// Mean p0 and rho0 in the cells of all levels along the axis of gravity. Level l begins at index
/// n0 (2^l - 1), where n0 is the number of cells of level 0.
struct BaseTables {
  explicit BaseTables(const Problem &problem);
  std::vector<double> pressure, density;
};

} // namespace hybridfft::euler
