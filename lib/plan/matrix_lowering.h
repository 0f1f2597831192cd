/// The steps along a path between slabs: passes of matrices, and transpositions of these.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// True if the passes and the exchange of a choice serve a problem. FFTW's plan of the whole array
/// needs one rank and normal order. Pruned planes of two axes are one step with the library's own
/// kernels for real data, else two. Exchanges in place need slabs of equal blocks.
bool admits(const Problem &p, int ranks, const Choice &choice);

/// Makes the steps of a choice, once. Local; may throw. Returns nothing, on all ranks, if the
/// choice's exchange does not apply.
using StepMaker = std::function<std::optional<Steps>()>;

/// Plans the exchanges of a choice. The steps are made later, so that callers agree on failures of
/// that and of other work at once. `p` and `choice` must outlive the result. Collective. Returns
/// nullptr, on all ranks, if the choice's exchange does not apply; throws Failure on all ranks
/// alike. \param forced_exchange the user asked for the exchange by name
StepMaker lower_matrices(const Problem &p, const std::shared_ptr<exchange::Communicator> &comm,
                         const Choice &choice, bool forced_exchange);

/// The steps that a rank will have, for prices: exchanges have what they send, and none is planned.
/// No communication.
Steps outline_matrices(const Problem &p, const Choice &choice, int rank);

} // namespace hybridfft::plan
