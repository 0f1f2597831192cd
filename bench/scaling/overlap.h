/// Measures how far exchanges overlap with computation.
#pragma once

#include <mpi.h>

#include "common/statistics.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

struct Overlap {
  Summary full;     ///< times of a plan in which exchanges and passes overlap
  Summary passes;   ///< FFTs and copies one after another, each timed on its slowest rank
  Summary exchange; ///< exchanges alone, each timed on its slowest rank
  /// (passes + exchange - full) / min(passes, exchange), from medians. 1 means that the shorter of
  /// both takes no additional time; below 0, both slow each other down.
  double hidden = 0;
};

/// Measures the overlap of this library's "pipelined" exchange. The separate times come from a
/// second plan ("pairwise"), which sends the same messages without concurrent work. Both plans run
/// alternately. Collective; needs at least two ranks. Throws on all ranks alike.
Overlap measure_overlap(const Problem &problem, MPI_Comm comm, Effort effort, int warmups,
                        int rounds);

} // namespace hybridfft::bench
