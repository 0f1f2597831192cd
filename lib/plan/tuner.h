/// Makes the plan of a problem from wisdom, from the model's estimate, or by timing candidates.
#pragma once

#include <memory>

#include "plan/machine.h"
#include "plan/plan.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// Returns the plan of a problem. Wisdom of rank 0 comes first. Without wisdom ESTIMATE takes the
/// cheapest choice of the cost model and leaves the arrays unchanged. The other efforts search from
/// there (search.h): MEASURE among few choices, PATIENT among more, EXHAUSTIVE among all. The cost
/// of a candidate is the time of the slowest rank, and results are stored as wisdom. Timed
/// candidates share one memory of the size of the largest one. Collective. Throws Failure on all
/// ranks alike.
std::unique_ptr<Plan> make_plan(const Problem &problem,
                                const std::shared_ptr<exchange::Communicator> &comm,
                                const Machine &machine);

} // namespace hybridfft::plan
