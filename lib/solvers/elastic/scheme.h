/// Constants of the difference scheme, and the numbering of the fields.
#pragma once

#include <array>

#include "hybridfft/grid/box.hpp"

namespace hybridfft::elastic {

using grid::Index;
using grid::Index3;

/// Coefficients of the staggered difference of fourth order,
/// [near (f(+1/2) - f(-1/2)) + far (f(+3/2) - f(-3/2))] / h.
constexpr double near = 9. / 8, far = -1. / 24;

/// Numbers of velocities, stresses and all fields. Velocities come first.
constexpr int velocities = 3, stresses = 6, fields = 9;
constexpr std::array<const char *, fields> field_names{"vx",  "vy",  "vz",  "sxx", "syy",
                                                       "szz", "sxy", "sxz", "syz"};
/// Field numbers.
enum Field { vx, vy, vz, sxx, syy, szz, sxy, sxz, syz };

/// The two axes p <= q of stress number sxx + n.
constexpr std::array<std::array<int, 2>, stresses> stress_axes{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

} // namespace hybridfft::elastic
