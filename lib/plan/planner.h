/// Lists the candidate plans of a Problem, times them on all ranks and keeps the best.
#pragma once

#include <memory>

#include "plan/plan.h"

namespace hybridfft::plan {

/// Collective. ESTIMATE takes the default choice and leaves the arrays alone; MEASURE improves one
/// property of the choice after the other; PATIENT and EXHAUSTIVE try all combinations. The cost of
/// a candidate is the time of the slowest rank. Throws Failure on all ranks alike.
template <class Real>
std::unique_ptr<Plan<Real>> make_plan(const Problem &problem,
                                      const std::shared_ptr<exchange::Communicator> &comm, void *in,
                                      void *out);

extern template std::unique_ptr<Plan<float>>
make_plan<float>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *);
extern template std::unique_ptr<Plan<double>>
make_plan<double>(const Problem &, const std::shared_ptr<exchange::Communicator> &, void *, void *);

} // namespace hybridfft::plan
