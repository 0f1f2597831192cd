/// Counts the communicators that this process holds, by interposing MPI's own functions.
#pragma once

namespace hybridfft::test {

/// Communicators made and not yet freed since the start, by whomever.
int live_communicators();

} // namespace hybridfft::test
