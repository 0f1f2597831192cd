/// Builds the plan of one choice in five stages: steps, rewrites of the steps, buffers, passes,
/// exchanges. The tuner calls this for every candidate it times.
#pragma once

#include <memory>

#include "plan/choice.h"
#include "plan/plan.h"

namespace hybridfft::plan {

/// Returns the plan; nullptr, on all ranks, if the choice's exchange cannot serve the problem.
/// Collective. Throws Failure on all ranks alike.
/// \param forced_exchange true if the user has selected the exchange by name
std::unique_ptr<Plan> build(const Problem &problem,
                            const std::shared_ptr<exchange::Communicator> &comm,
                            const Choice &choice, bool forced_exchange);

} // namespace hybridfft::plan
