/// Rewrites that add copies along a path.
#pragma once

#include "local/pass.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// A copy first where the first step would spoil an input that is to be kept, or where it is the
/// only step of a transform in place that it cannot do in place. `planes` is the kernel of planes.
void protect_input(Steps &steps, const Problem &problem, local::Kernel planes);

/// A copy between two exchanges that follow each other: one field must not arrive where another one
/// is sent from.
void part_exchanges(Steps &steps);

} // namespace hybridfft::plan
