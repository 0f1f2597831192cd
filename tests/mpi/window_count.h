/// Counts live windows of shared memory through MPI's profiling interface.
#pragma once

namespace hybridfft::test {

int live_windows();

} // namespace hybridfft::test
