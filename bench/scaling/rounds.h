/// Measures several programs ("contenders") alternately, under the same conditions.
#pragma once

#include <mpi.h>

#include <functional>
#include <vector>

namespace hybridfft::bench {

struct Contender {
  std::function<void()> prepare; ///< not timed
  std::function<void()> run;     ///< collective
};

/// Returns the seconds of each contender in each round: on the slowest rank from a common start,
/// equal on all ranks. Every round starts with another contender. The first `warmups` rounds are
/// not counted. Collective.
std::vector<std::vector<double>> run_rounds(const std::vector<Contender> &contenders, int warmups,
                                            int rounds, MPI_Comm comm);

/// Returns the seconds of one call on the slowest rank. Collective.
double slowest_seconds(const std::function<void()> &run, MPI_Comm comm);

} // namespace hybridfft::bench
