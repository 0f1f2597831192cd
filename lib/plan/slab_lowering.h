/// The steps of a plan between slabs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Which forms a pair of slabs admits: r2c starts with planes, c2r ends with them, whole needs one
/// rank and normal order, a redistribution has planes_last where the exchange leaves the final
/// order. Pruned ones have planes where the grid is; planes of two axes are pruned
/// in one step by our own kernels for real data, else in two.
bool admits(const Problem &p, int ranks, const Choice &choice);

/// Hands the steps of a choice to `use`, which may fail on some ranks. Collective, as exchanges are
/// planned. Returns false, on all ranks, where the choice's exchange does not apply; throws Failure
/// on all ranks alike.
/// \param forced_exchange the user asked for the exchange by name
bool lower_slabs(const Problem &p, const std::shared_ptr<exchange::Communicator> &comm,
                 const Choice &choice, bool forced_exchange, const std::function<void(Steps)> &use);

/// What the steps of a rank will be, for prices: exchanges have what they send, and none is
/// planned. No communication.
Steps outline_slabs(const Problem &p, const Choice &choice, int rank);

} // namespace hybridfft::plan
