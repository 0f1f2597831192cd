/// The steps along a path between slabs: passes of matrices, and transpositions of these.
#pragma once

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

/// The steps of a choice, with their exchanges. Collective. Nothing, on all ranks, where the
/// choice's exchange does not apply; throws Failure on all ranks alike.
/// \param forced_exchange the user asked for the exchange by name
std::optional<Steps> lower_matrices(const Problem &p,
                                    const std::shared_ptr<exchange::Communicator> &comm,
                                    const Choice &choice, bool forced_exchange);

/// The steps that a rank will have, for prices: exchanges have what they send, and none is planned.
/// No communication.
Steps outline_matrices(const Problem &p, const Choice &choice, int rank);

} // namespace hybridfft::plan
