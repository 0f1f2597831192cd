/// What decides on candidates besides the problem.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "exchange/communicator.h"
#include "simd/transpose.h"

namespace hybridfft::plan {

/// What the machines of all ranks have, the same on all ranks: where they differ, the least.
struct Machine {
  std::int64_t small_tile = 0;     ///< bytes that leave room for twiddles in the first-level cache
  std::int64_t large_tile = 0;     ///< a good part of the second-level cache
  std::int64_t cores = 1;          ///< of a node
  std::int64_t threads = 1;        ///< that a plan may use per rank
  std::int64_t ranks_per_node = 1; ///< on the node that has most
  double time_limit = -1;          ///< of rank 0: seconds for planning; negative: none
  simd::Isa isa = simd::active();  ///< of the kernels
  std::string processor = "unknown"; ///< its name, or one that stands for several
};

/// Collective. Throws Failure on all ranks alike.
Machine common_machine(exchange::Communicator &comm, int threads, double time_limit);

/// The instruction set that all ranks have. Collective. Throws Failure on all ranks alike.
simd::Isa common_isa(MPI_Comm comm);

/// A line for print_plan where this rank has a better set than the one that all have; else empty.
std::string describe_isa(simd::Isa common);

/// The name that all ranks give, or one that stands for all their names. Collective.
std::string common_name(const std::string &mine, MPI_Comm comm);

/// The processor's name for itself, "unknown" where it has none.
const std::string &cpu_model();

} // namespace hybridfft::plan
