/// Rates and latencies of the machine that a program runs on.
#pragma once

#include <mpi.h>

#include "base/machine_parameters.h"

namespace hybridfft::tools {

/// The parameters with the cores, sockets and memory of this node, from its operating system.
MachineParameters with_this_node(MachineParameters machine);

/// Measures the parameters with the ranks of comm and `threads` threads of each, all at once, as a
/// program that is started likewise finds them: memory by copies, kernels by transforms in cache,
/// messages between ranks of a node and between nodes. Parameters that cannot be measured (with one
/// rank, one node) keep their defaults. The slowest rank counts, in the fastest of some rounds;
/// takes some seconds. Collective; the same on all ranks. Throws Failure on all ranks alike when
/// MPI fails or memory is short.
MachineParameters measure_machine(MPI_Comm comm, int threads);

} // namespace hybridfft::tools
