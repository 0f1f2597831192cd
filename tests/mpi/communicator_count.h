/// Counts the communicators of this process, and its reductions and broadcasts, by interposing
/// MPI's own functions.
#pragma once

namespace hybridfft::test {

/// Communicators made and not yet freed since the start, by whomever.
int live_communicators();

/// Calls of MPI_Allreduce and MPI_Bcast since the start, by whatever library.
int reductions();

} // namespace hybridfft::test
