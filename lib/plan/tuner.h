/// Lists the candidate plans of a Problem, times them on all ranks and keeps the best.
#pragma once

#include <memory>

#include "plan/plan.h"
#include "plan/problem.h"
#include "plan/setting.h"

namespace hybridfft::plan {

/// Collective. Takes what wisdom knows, the word of rank 0. Where it knows nothing, ESTIMATE takes
/// the choice that a model thinks cheapest and leaves the arrays alone; the others search from
/// there, MEASURE among few choices, PATIENT among more, EXHAUSTIVE among all (search.h). The cost
/// of a candidate is the time of the slowest rank. What has been measured becomes wisdom.
/// Candidates are timed in memory that they share: there is never more of it than one of them
/// needs. Throws Failure on all ranks alike.
template <class Real>
std::unique_ptr<Plan> make_plan(const Problem &problem,
                                const std::shared_ptr<exchange::Communicator> &comm, void *in,
                                void *out, const Setting &setting);

extern template std::unique_ptr<Plan>
make_plan<float>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *,
                 const Setting &);
extern template std::unique_ptr<Plan>
make_plan<double>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *,
                  const Setting &);

} // namespace hybridfft::plan
