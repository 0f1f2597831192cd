/// Measures rates and latencies of the machine of a program.
#pragma once

#include <mpi.h>

#include "base/machine_parameters.h"

namespace hybridfft::tools {

/// Sets cores, sockets and memory of this node, from its operating system.
MachineParameters with_this_node(MachineParameters machine);

/// Measures the parameters of a job with the ranks of comm and `threads` threads per rank, all
/// active at the same time. Memory is measured by copies, kernels by transforms in cache, messages
/// between ranks of a node and between nodes. Parameters that cannot be measured (with one rank or
/// one node) keep their defaults. The result is from the slowest rank in the fastest of several
/// rounds, and equal on all ranks. It takes some seconds. Collective.
/// \throws Failure on all ranks if MPI fails or memory is short
MachineParameters measure_machine(MPI_Comm comm, int threads);

} // namespace hybridfft::tools
