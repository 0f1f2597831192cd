#include "plan/stopwatch.h"

#include <algorithm>

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
  return time_once(plan.comm()->get(), [&] { plan.execute(in, out); });
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
