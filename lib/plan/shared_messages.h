/// A rewrite: exchanges of blocks go through memory that the ranks of a node share.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "plan/layout_steps.h"

namespace hybridfft::plan {

/// Lets the steps before all exchanges write the memory of their rank, and those after them read
/// that of the others: copies where there are no such steps. `windows` become one exchange of each
/// of the two parts of that memory. False, on all ranks, where the ranks do not share a node's
/// memory: nothing has changed then. Collective. Throws Failure on all ranks alike.
bool share_messages(std::vector<LayoutStep> &steps,
                    const std::shared_ptr<exchange::Communicator> &comm, std::size_t real_bytes,
                    Pages pages, std::array<std::shared_ptr<exchange::Exchange>, 2> &windows);

} // namespace hybridfft::plan
