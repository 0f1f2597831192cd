/// Counts the calls of MPI_Barrier in this process. The drop-in times candidates between barriers,
/// so the count tells if a plan was measured. FFTW-MPI's planner calls no barrier.
#pragma once

namespace dropin {

/// Returns the number of calls of MPI_Barrier so far, from all libraries.
long barriers();

} // namespace dropin
