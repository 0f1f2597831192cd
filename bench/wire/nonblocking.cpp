// Measures how far a nonblocking transform overlaps with other work of the caller. Uses single
// precision c2c transforms of a cube with transposed output. The caller's work is arithmetic in
// registers for about the time of a transform. The transform alone, the work alone, and both
// together run alternately. In the third case the work runs in slices, with or without
// execute_test() between them. The hidden part is (transform + work - both) / exchange. The time of
// the exchange comes from the profile of the transform alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "common/statistics.h"
#include "hybridfft/hybridfft.hpp"
#include "wire/on_cubes.h"

namespace {

using namespace hybridfft;

constexpr std::ptrdiff_t slice = 200000; ///< about a millisecond

/// Arithmetic whose result compilers cannot predict. Returning the result prevents its removal.
double work(std::ptrdiff_t steps, double x) {
  for (std::ptrdiff_t i = 0; i < steps; ++i)
    x = x * 1.0000001 + 1e-9;
  return x;
}

double timed(const std::function<void()> &f) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  f();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return 1e3 * seconds;
}

double exchange_milliseconds(const Plan<float, Kind::c2c> &plan) {
  double sum = 0;
  for (const hfft_stage_profile &s : plan.profile())
    if (std::string(s.name).rfind("exchange", 0) == 0)
      sum += 1e3 * s.mean_seconds / static_cast<double>(std::max(s.calls, 1LL));
  return sum;
}

void measure(std::ptrdiff_t n, int rounds) {
  const std::vector<std::ptrdiff_t> extents{n, n, n};
  Options options;
  options.effort = Effort::estimate;
  options.transposed_out = true;
  options.nonblocking = true;
  const LocalSizes sizes = local_sizes<float, Kind::c2c>(extents, options);
  Buffer<std::complex<float>> in(sizes.allocate_in);
  Buffer<std::complex<float>> out(sizes.allocate_out);
  Plan<float, Kind::c2c> plan(extents, in, out, options);
  double x = 1;
  const double transform_once = timed([&] { plan.execute(); });
  const double slice_once = timed([&] { x = work(20 * slice, x); }) / 20;
  const auto slices = static_cast<std::ptrdiff_t>(std::ceil(transform_once / slice_once));
  const auto all_work = [&](bool test) {
    for (std::ptrdiff_t i = 0; i < slices; ++i) {
      x = work(slice, x);
      if (test) plan.test();
    }
  };
  const auto both = [&](bool test) {
    plan.start();
    all_work(test);
    plan.wait();
  };
  std::vector<double> transform;
  std::vector<double> alone;
  std::vector<double> tested;
  std::vector<double> untested;
  std::vector<double> exchange;
  for (int i = 0; i < rounds; ++i) {
    plan.set_profiling(true);
    transform.push_back(timed([&] { plan.execute(); }));
    exchange.push_back(exchange_milliseconds(plan));
    plan.set_profiling(false);
    alone.push_back(timed([&] { all_work(false); }));
    tested.push_back(timed([&] { both(true); }));
    untested.push_back(timed([&] { both(false); }));
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  const auto median = [](const std::vector<double> &v) { return bench::summarize(v).median; };
  const double apart = median(transform) + median(alone);
  std::printf(
      "| transform | its exchange | work | both, with tests | hidden | both, without | hidden "
      "|\n|---|---|---|---|---|---|---|\n");
  std::printf("| %.1f | %.1f | %.1f | %.1f | %.0f %% | %.1f | %.0f %% |\n", median(transform),
              median(exchange), median(alone), median(tested),
              100 * (apart - median(tested)) / median(exchange), median(untested),
              100 * (apart - median(untested)) / median(exchange));
  std::printf("(%lld slices of work, result %g)\n", static_cast<long long>(slices), x);
}

} // namespace

int main(int argc, char **argv) {
  return hybridfft::bench::run_on_cubes(
      argc, argv, "hybridfft-bench-nonblocking",
      "How much of an exchange hides behind the caller's own work, with and without tests between "
      "its slices.",
      measure);
}
