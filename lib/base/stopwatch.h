/// Timing of collective work, and the time limit of planning.
#pragma once

#include <limits>

#include "base/mpi.h"

namespace hybridfft {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Time left for planning by the clock of rank 0, so that all ranks make the same decision.
class Deadline {
public:
  /// Sets the limit `seconds` from now; negative means no limit.
  Deadline(MPI_Comm comm, double seconds) : comm_(comm), limit_(seconds < 0 ? infinity : seconds) {}

  bool limited() const { return limit_ != infinity; }
  /// Returns the seconds left. Collective if there is a limit.
  double seconds_left() const {
    if (!limited()) return infinity;
    double left = limit_ - (MPI_Wtime() - start_);
    mpi::check(MPI_Bcast(&left, 1, MPI_DOUBLE, 0, comm_), "MPI_Bcast");
    return left;
  }

private:
  MPI_Comm comm_;
  double limit_;
  double start_ = MPI_Wtime();
};

/// Times one call of f() with a common start, and returns the seconds of the slowest rank.
/// Collective. Throws Failure on all ranks alike.
template <class F> double time_once(MPI_Comm comm, const F &f) {
  mpi::check(MPI_Barrier(comm), "MPI_Barrier");
  double seconds = -MPI_Wtime();
  mpi::all_or_none(comm, f);
  seconds += MPI_Wtime();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return seconds;
}

} // namespace hybridfft
