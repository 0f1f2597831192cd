// What the exchanges of a time step of the solver take without any computing. The half spectra of
// real values in single precision go back and forth as a linear step sends them, in the same
// messages and with the same dependencies: each sweep begins a part when the fields that it reads
// have come and sends those that it would write.
#include <mpi.h>

#include <cstdio>
#include <initializer_list>

#include "exchange/shuttle.h"
#include "wire/on_cubes.h"

namespace {

using namespace hybridfft;
using Fields = std::initializer_list<int>;

/// As OperatorPlan goes over its side.
void sweep(exchange::Shuttle &shuttle, Fields read, Fields write) {
  for (const int field : write)
    shuttle.open(field);
  for (const std::ptrdiff_t end : shuttle.ends()) {
    for (const int field : read)
      shuttle.await(field, end);
    for (const int field : write)
      shuttle.written(field, end);
  }
}

void planes(exchange::Shuttle &shuttle, Fields read, Fields write) {
  shuttle.prepare_rows();
  sweep(shuttle, read, write);
}

void lines(exchange::Shuttle &shuttle, Fields read, Fields write) {
  shuttle.prepare_columns();
  sweep(shuttle, read, write);
}

/// Nine journeys: the pressure's gradient, the velocities, their divergence, the next pressure.
void time_step(exchange::Shuttle &shuttle) {
  lines(shuttle, {0}, {2, 0});
  planes(shuttle, {2}, {2});
  planes(shuttle, {0}, {1});
  planes(shuttle, {0}, {0});
  for (const int field : {2, 1, 0})
    lines(shuttle, {field}, {field});
  planes(shuttle, {2}, {});
  planes(shuttle, {1}, {});
  planes(shuttle, {0}, {0});
}

void measure(std::ptrdiff_t n, int steps) {
  const auto comm = exchange::acquire(MPI_COMM_WORLD);
  const BlockDistribution cut(n, comm->size());
  const auto shuttle = exchange::make_shuttle({cut, cut, n / 2 + 1, sizeof(float)}, 3, comm, 1);
  planes(*shuttle, {}, {0});
  time_step(*shuttle);
  MPI_Barrier(comm->get());
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step)
    time_step(*shuttle);
  // The pressure's last journey is part of the last step.
  lines(*shuttle, {0}, {0});
  MPI_Barrier(comm->get());
  const double seconds = (MPI_Wtime() - start) / steps;
  const double bytes = 9 * static_cast<double>(cut.count(0) * (n - cut.count(0))) *
                       static_cast<double>(n / 2 + 1) * 2 * sizeof(float);
  if (comm->rank() == 0)
    std::printf("%s\n%td^3 on %d ranks: %.1f ms per step, %.1f MB from each rank\n",
                shuttle->describe().c_str(), n, comm->size(), 1e3 * seconds, 1e-6 * bytes);
}

} // namespace

int main(int argc, char **argv) {
  return hybridfft::bench::run_on_cubes(
      argc, argv, "hybridfft-bench-shuttle",
      "The exchanges of a linear time step of the solver, without any computing. Each round is a "
      "step.",
      measure);
}
