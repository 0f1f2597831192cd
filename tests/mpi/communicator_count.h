/// Counts the communicators of this process, and its reductions and broadcasts, by replacing MPI's
/// own functions.
#pragma once

namespace hybridfft::test {

/// Returns the number of communicators that exist, whoever made them.
int live_communicators();

/// Returns the number of calls of MPI_Allreduce and MPI_Bcast since the start, by any library.
int reductions();

} // namespace hybridfft::test
