/// Chooses how a program's threads and ranks wait for each other.
#pragma once

namespace hybridfft::tools {

/// Sets how threads and ranks wait. Call it first in main. On a busy machine, spinning threads and
/// ranks occupy processors needed by others. Threads therefore spin for some microseconds and then
/// sleep, and ranks of Open MPI yield. The user's settings have precedence: OMP_WAIT_POLICY,
/// GOMP_SPINCOUNT and KMP_BLOCKTIME for threads, Open MPI's parameter mpi_yield_when_idle for
/// ranks. OpenMP's runtime reads its environment when it is loaded. If the environment must change,
/// this function restarts the program in the same process and returns only if this fails.
void choose_waiting(char **argv);

} // namespace hybridfft::tools
