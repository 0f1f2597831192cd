/// The plan of one choice: steps, rewrites, buffers, passes and exchanges.
#pragma once

#include <memory>

#include "plan/choice.h"
#include "plan/plan.h"

namespace hybridfft::plan {

/// Collective. Returns nullptr, on all ranks, where the choice's exchange does not apply; throws
/// Failure on all ranks alike.
/// \param forced_exchange the user asked for the exchange by name
std::unique_ptr<Plan> build(const Problem &problem,
                            const std::shared_ptr<exchange::Communicator> &comm,
                            const Choice &choice, bool forced_exchange);

} // namespace hybridfft::plan
