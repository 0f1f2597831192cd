#include "plan/stopwatch.h"

#include <algorithm>

#include "base/mpi.h"

namespace hybridfft::plan {

namespace {

constexpr double hopeless = 1.5;
/// Long executions vary little.
constexpr double enough_seconds = 1.0;

} // namespace

double Deadline::seconds_left() const {
  if (!limited()) return infinity;
  double left = limit_ - (MPI_Wtime() - start_);
  mpi::check(MPI_Bcast(&left, 1, MPI_DOUBLE, 0, comm_.get()), "MPI_Bcast");
  return left;
}

double time_once(Plan &plan, void *in, void *out) {
  MPI_Comm comm = plan.comm()->get();
  mpi::check(MPI_Barrier(comm), "MPI_Barrier");
  double seconds = -MPI_Wtime();
  mpi::all_or_none(comm, [&] { plan.execute(in, out); });
  seconds += MPI_Wtime();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return seconds;
}

double time_plan(Plan &plan, void *in, void *out, int repeats, double best,
                 const Deadline &deadline) {
  double least = time_once(plan, in, out);
  if (least > hopeless * best) return infinity;
  double spent = 0;
  for (int i = 0; i < repeats && spent < enough_seconds; ++i) {
    if (deadline.seconds_left() < least) break;
    const double seconds = time_once(plan, in, out);
    least = std::min(least, seconds);
    spent += seconds;
  }
  return least;
}

} // namespace hybridfft::plan
