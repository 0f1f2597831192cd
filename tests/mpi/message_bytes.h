/// Counts what a program sends through MPI.
#pragma once

namespace hybridfft::test {

/// Bytes of all messages that this rank has sent by MPI_Isend.
long long sent_bytes();

} // namespace hybridfft::test
