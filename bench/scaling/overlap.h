/// Measures the overlap of exchanges and passes.
#pragma once

#include <mpi.h>

#include "common/statistics.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

struct Overlap {
  Summary full;     ///< times of a plan with overlap of exchanges and passes
  Summary passes;   ///< FFTs and copies, one after the other, each from its slowest rank
  Summary exchange; ///< exchanges likewise, without other work
  /// (passes + exchange - full) / min(passes, exchange), of medians. It is 1 if the shorter of the
  /// two costs no time, and below 0 if they hinder each other.
  double hidden = 0;
};

/// Measures this library's overlap with "pipelined". The separate times are the stages of a second
/// plan ("pairwise"), which has the same messages without concurrent work. Both plans take turns.
/// Collective; for two ranks or more. Throws on all ranks alike.
Overlap measure_overlap(const Problem &problem, MPI_Comm comm, Effort effort, int warmups,
                        int rounds);

} // namespace hybridfft::bench
