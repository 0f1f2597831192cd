/// Counts the barriers of this process. Executions that are timed call barriers, so that their
/// number shows whether a plan was measured. FFTW-MPI's planner calls none itself.
#pragma once

namespace dropin {

/// Number of calls of MPI_Barrier so far, by whatever library.
long barriers();

} // namespace dropin
