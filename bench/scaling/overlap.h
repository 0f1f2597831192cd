/// Measures the overlap of exchanges and passes.
#pragma once

#include <mpi.h>

#include "common/statistics.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

struct Overlap {
  Summary full;     ///< times of a plan with overlap of exchanges and passes
  Summary passes;   ///< FFTs and copies one after another, each timed on its slowest rank
  Summary exchange; ///< exchanges alone, each timed on its slowest rank
  /// (passes + exchange - full) / min(passes, exchange), of medians. It is 1 if the shorter of the
  /// two takes no additional time, and below 0 if they slow each other down.
  double hidden = 0;
};

/// Measures the overlap of this library's "pipelined" exchange. The separate times are from a
/// second plan ("pairwise"), which has the same messages without concurrent work. Both plans are
/// measured in turn. Collective; needs two ranks or more. Throws on all ranks alike.
Overlap measure_overlap(const Problem &problem, MPI_Comm comm, Effort effort, int warmups,
                        int rounds);

} // namespace hybridfft::bench
