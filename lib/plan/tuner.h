/// Lists the candidate plans of a Problem, times them on all ranks and keeps the best.
#pragma once

#include <memory>

#include "plan/machine.h"
#include "plan/plan.h"
#include "plan/problem.h"

namespace hybridfft::plan {

/// Collective. Takes what wisdom knows, the word of rank 0. Where it knows nothing, ESTIMATE takes
/// the choice that a model thinks cheapest and leaves the arrays alone; the others search from
/// there, MEASURE among few choices, PATIENT among more, EXHAUSTIVE among all (search.h). The cost
/// of a candidate is the time of the slowest rank. Measurements become wisdom.
/// Candidates are timed in memory that they share: there is never more of it than one of them
/// needs. Throws Failure on all ranks alike.
std::unique_ptr<Plan> make_plan(const Problem &problem,
                                const std::shared_ptr<exchange::Communicator> &comm,
                                const Machine &machine);

} // namespace hybridfft::plan
