/// Times executions of plans on all ranks, and keeps the time limit of planning.
#pragma once

#include <limits>

#include "base/mpi.h"
#include "exchange/communicator.h"
#include "plan/plan.h"

namespace hybridfft::plan {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// The time that is left for planning by the clock of rank 0, so that all ranks decide alike.
class Deadline {
public:
  /// `seconds` from now; negative: no limit.
  Deadline(const exchange::Communicator &comm, double seconds)
      : comm_(comm), limit_(seconds < 0 ? infinity : seconds) {}

  bool limited() const { return limit_ != infinity; }
  /// Collective where there is a limit.
  double seconds_left() const;

private:
  const exchange::Communicator &comm_;
  double limit_;
  double start_ = MPI_Wtime();
};

/// Seconds of the slowest rank for one call of f(), which all ranks begin together. Collective.
/// Throws Failure on all ranks alike.
template <class F> double time_once(MPI_Comm comm, const F &f) {
  mpi::check(MPI_Barrier(comm), "MPI_Barrier");
  double seconds = -MPI_Wtime();
  mpi::all_or_none(comm, f);
  seconds += MPI_Wtime();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return seconds;
}
/// Seconds of the slowest rank for one execution.
double time_once(Plan &plan, void *in, void *out);

/// Seconds of the slowest rank, the least of `repeats` executions and the first one; infinity when
/// the first one takes more than 1.5 times `best`, which is then not repeated. Collective. Throws
/// Failure on all ranks alike.
double time_plan(Plan &plan, void *in, void *out, int repeats, double best,
                 const Deadline &deadline);

} // namespace hybridfft::plan
