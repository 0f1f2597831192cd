/// Waiting of a program's threads and ranks for each other.
#pragma once

namespace hybridfft::tools {

/// To be called first in main. Threads and ranks that spin while they wait take the processors from
/// those that they wait for as soon as the machine is busy: so threads spin for some microseconds
/// and then sleep, and ranks of Open MPI yield. The user's settings stay: OMP_WAIT_POLICY,
/// GOMP_SPINCOUNT and KMP_BLOCKTIME for threads, Open MPI's parameter mpi_yield_when_idle for
/// ranks. OpenMP's runtime reads its environment when it is loaded, so this starts the program once
/// more, in the same process, where the environment has to change; it returns where not, or where
/// that fails.
void choose_waiting(char **argv);

} // namespace hybridfft::tools
