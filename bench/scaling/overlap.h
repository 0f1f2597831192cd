/// Measures the overlap of exchanges with computation in the pipelined exchange.
#pragma once

#include <mpi.h>

#include "common/statistics.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

/// Result of the measurement, in seconds per transform.
struct Overlap {
  Summary full;     ///< plan with overlapping exchanges and passes
  Summary passes;   ///< sum of FFTs and copies, each timed alone on its slowest rank
  Summary exchange; ///< sum of exchanges, each timed alone on its slowest rank
  /// Hidden fraction: (passes + exchange - full) / min(passes, exchange), from medians. At 1 the
  /// shorter of both takes no additional time. At negative values both slow each other down.
  double hidden = 0;
};

/// Measures the overlap of the "pipelined" exchange. The separate times come from a second plan
/// ("pairwise"). It sends the same messages without concurrent work. Both plans run alternately.
/// Collective; needs at least two ranks. Throws on all ranks.
Overlap measure_overlap(const Problem &problem, MPI_Comm comm, Effort effort, int warmups,
                        int rounds);

} // namespace hybridfft::bench
