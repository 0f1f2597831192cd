/// Counts the barriers of this process, which stand for timed executions: FFTW-MPI's planner has
/// none, and those of plans are their own.
#pragma once

namespace dropin {

/// Number of calls of MPI_Barrier so far, by whatever library.
long barriers();

} // namespace dropin
