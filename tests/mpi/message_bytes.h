/// Counts what a program sends through MPI.
#pragma once

namespace hybridfft::test {

/// Bytes of all messages that this rank has sent by MPI_Isend.
long long sent_bytes();

/// Bytes of one execution.
template <class Plan> long long bytes_sent(Plan &plan) {
  const long long before = sent_bytes();
  plan.execute();
  return sent_bytes() - before;
}

} // namespace hybridfft::test
