/// Measures contenders in turns, under the same conditions.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

namespace hybridfft::bench {

struct Contender {
  std::function<void()> prepare; ///< not timed
  std::function<void()> run;     ///< collective
};

/// Seconds of the slowest rank from a common start, for each contender in each round; equal on all
/// ranks. Every round starts with another contender. The first `warmups` rounds do not count.
/// Collective.
std::vector<std::vector<double>> run_rounds(const std::vector<Contender> &contenders, int warmups,
                                            int rounds, MPI_Comm comm);

/// Seconds of the slowest rank for one call. Collective.
double slowest_seconds(const std::function<void()> &run, MPI_Comm comm);

} // namespace hybridfft::bench
