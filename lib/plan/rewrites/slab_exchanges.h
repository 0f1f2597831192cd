/// A rewrite: each exchange between slabs is a transposition of one matrix by all ranks.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "plan/choice.h"
#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// True unless one rank has all of the array, and nothing changes its numbers on the way.
bool exchanges_slabs(const Problem &problem);

/// The matrix that the exchange before a stage of a path between slabs transposes.
exchange::Transposition slab_transposition(const Problem &problem, const Path &path,
                                           std::size_t stage);

/// The exchanges along a path; a second one may be nullptr if it goes through the first one's
/// window.
using SlabExchanges = std::array<std::unique_ptr<exchange::Exchange>, 2>;

/// Plans the exchanges of a choice. Collective. Returns nothing, on all ranks, if the choice's
/// algorithm does not apply; throws Failure on all ranks alike.
/// \param forced the user asked for the algorithm by name
std::optional<SlabExchanges>
plan_slab_exchanges(const Problem &problem, const Choice &choice,
                    const std::shared_ptr<exchange::Communicator> &comm, bool forced);

/// Lets passes write what the exchanges send, and read what they receive. Copies into messages and
/// out of them go wherever an exchange works on the user's array itself: those of redistributions,
/// which take the place of transforms, and those next to windows stay. Local; may throw. Returns
/// false, on all ranks, if a window has no way back.
bool use_slab_exchanges(Steps &steps, const Problem &problem, const Choice &choice,
                        SlabExchanges exchanges);

/// The same for prices: the matrices are those of the choice's algorithm on a rank, and none is
/// planned.
void outline_slab_exchanges(Steps &steps, const Problem &problem, const Choice &choice, int rank);

} // namespace hybridfft::plan
