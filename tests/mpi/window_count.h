/// Windows of shared memory that live, counted through MPI's profiling interface.
#pragma once

namespace hybridfft::test {

int live_windows();

} // namespace hybridfft::test
