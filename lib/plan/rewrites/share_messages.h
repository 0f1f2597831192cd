/// A rewrite: exchanges of blocks go through memory that the ranks of a node share.
#pragma once

#include <cstddef>
#include <memory>

#include "plan/problem.h"
#include "plan/step.h"

namespace hybridfft::plan {

/// Lets the steps before all exchanges write the memory of their rank, and those after them read
/// that of the others: copies where there are no such steps. Exchanges take turns in two windows.
/// False, on all ranks, where the ranks do not share a node's memory: nothing has changed then.
/// Collective. Throws Failure on all ranks alike.
bool share_messages(Steps &steps, const std::shared_ptr<exchange::Communicator> &comm,
                    const Problem &problem);

} // namespace hybridfft::plan
