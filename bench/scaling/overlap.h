/// The part of the exchanges that overlaps with the passes, or the other way round.
#pragma once

#include <mpi.h>

#include "common/statistics.h"
#include "scaling/peer.h"

namespace hybridfft::bench {

struct Overlap {
  Summary full;     ///< times of a plan whose exchanges overlap with its passes
  Summary passes;   ///< all FFTs and copies, one after the other, of the slowest rank in each
  Summary exchange; ///< all exchanges likewise, while nothing else is done
  /// (passes + exchange - full) / min(passes, exchange), of medians: 1 when the lesser of the two
  /// costs nothing, below 0 when they hinder each other.
  double hidden = 0;
};

/// Overlap that this library reaches with "pipelined". Passes and exchanges on their own are the
/// stages of a second plan, with the same messages but no work meanwhile ("pairwise"). Both plans
/// take turns. Collective; for two ranks or more. Throws on all ranks alike.
Overlap measure_overlap(const Problem &problem, MPI_Comm comm, Effort effort, int warmups,
                        int rounds);

} // namespace hybridfft::bench
