/// Measures the lower bound of a transform's time: two passes over its data in memory.
#pragma once

#include "scaling/peer.h"

namespace hybridfft::bench {

/// Two arrays with a rank's part of the problem. All ranks copy one to the other at once, twice,
/// for the two passes over memory.
class Floor {
public:
  /// Collective. Throws std::bad_alloc on all ranks alike.
  Floor(const Problem &problem, MPI_Comm comm);
  /// Runs two STREAM copies.
  void run() const;
  /// Bytes read and written by all ranks in run().
  double bytes() const { return all_bytes_; }

private:
  int threads_;
  std::size_t bytes_ = 0; ///< bytes of each array
  double all_bytes_ = 0;
  Memory from_, to_;
};

} // namespace hybridfft::bench
