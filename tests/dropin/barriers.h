/// Counts the barriers of this process, as a measure of timed executions. FFTW-MPI's planner has
/// none, and a plan has its own.
#pragma once

namespace dropin {

/// Number of calls of MPI_Barrier so far, by whatever library.
long barriers();

} // namespace dropin
