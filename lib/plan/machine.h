/// What decides on candidates besides the problem.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "exchange/communicator.h"

namespace hybridfft::plan {

/// Facts about the machine of rank 0, the same numbers on all ranks.
struct Machine {
  std::int64_t small_tile = 0;     ///< bytes that leave room for twiddles in the first-level cache
  std::int64_t large_tile = 0;     ///< a good part of the second-level cache
  std::int64_t cores = 1;          ///< of a node
  std::int64_t threads = 1;        ///< that a plan may use per rank
  std::int64_t ranks_per_node = 1; ///< on the node that has most
  double time_limit = -1;          ///< seconds for planning; negative: none
};

/// Collective.
Machine machine_of_rank_0(exchange::Communicator &comm, int threads, double time_limit);

/// The processor's name for itself, "unknown" where it has none.
const std::string &cpu_model();

} // namespace hybridfft::plan
