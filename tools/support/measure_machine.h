/// Measures rates and latencies of the machine on which a program runs.
#pragma once

#include <mpi.h>

#include "base/machine_parameters.h"

namespace hybridfft::tools {

/// Returns `machine` with this node's cores, sockets and memory, as the operating system reports
/// them.
MachineParameters with_this_node(MachineParameters machine);

/// Measures the parameters of a job: the ranks of comm with `threads` threads each, all active at
/// the same time. Copies measure the memory, FFTs in cache the kernels, and messages the network
/// within and between nodes. Parameters without measurement (with one rank or one node) keep their
/// defaults. The result is that of the slowest rank in the fastest of several rounds, and equal on
/// all ranks. Takes some seconds. Collective.
/// \throws Failure on all ranks if MPI fails or memory is short
MachineParameters measure_machine(MPI_Comm comm, int threads);

} // namespace hybridfft::tools
