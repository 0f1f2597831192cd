// Measures the exchanges of a time step of the solver without computation. Half spectra of real
// values in single precision are sent forward and backward as in a linear step, in the same
// messages and with the same dependencies. A sweep starts a part when its input fields have
// arrived, and sends its output fields.
#include <mpi.h>

#include <cstdio>
#include <initializer_list>

#include "exchange/bidirectional_transpose.h"
#include "wire/on_cubes.h"

namespace {

using namespace hybridfft;
using Fields = std::initializer_list<int>;

/// Advances like OperatorPlan over one side.
void sweep(exchange::BidirectionalTranspose &transpose, Fields read, Fields write) {
  for (const int field : write)
    transpose.open(field);
  for (const std::ptrdiff_t end : transpose.ends()) {
    for (const int field : read)
      transpose.await(field, end);
    for (const int field : write)
      transpose.written(field, end);
  }
}

void planes(exchange::BidirectionalTranspose &transpose, Fields read, Fields write) {
  transpose.prepare_rows();
  sweep(transpose, read, write);
}

void lines(exchange::BidirectionalTranspose &transpose, Fields read, Fields write) {
  transpose.prepare_columns();
  sweep(transpose, read, write);
}

/// Nine exchanges: the pressure's gradient, the velocities, their divergence, the next pressure.
void time_step(exchange::BidirectionalTranspose &transpose) {
  lines(transpose, {0}, {2, 0});
  planes(transpose, {2}, {2});
  planes(transpose, {0}, {1});
  planes(transpose, {0}, {0});
  for (const int field : {2, 1, 0})
    lines(transpose, {field}, {field});
  planes(transpose, {2}, {});
  planes(transpose, {1}, {});
  planes(transpose, {0}, {0});
}

void measure(std::ptrdiff_t n, int steps) {
  const auto comm = exchange::acquire(MPI_COMM_WORLD);
  const BlockDistribution cut(n, comm->size());
  const auto transpose =
      exchange::make_bidirectional_transpose({cut, cut, n / 2 + 1, sizeof(float)}, 3, comm, 1);
  planes(*transpose, {}, {0});
  time_step(*transpose);
  MPI_Barrier(comm->get());
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step)
    time_step(*transpose);
  // The pressure's last exchange belongs to the last step.
  lines(*transpose, {0}, {0});
  MPI_Barrier(comm->get());
  const double seconds = (MPI_Wtime() - start) / steps;
  const double bytes = 9 * static_cast<double>(cut.count(0) * (n - cut.count(0))) *
                       static_cast<double>(n / 2 + 1) * 2 * sizeof(float);
  if (comm->rank() == 0)
    std::printf("%s\n%td^3 on %d ranks: %.1f ms per step, %.1f MB from each rank\n",
                transpose->describe().c_str(), n, comm->size(), 1e3 * seconds, 1e-6 * bytes);
}

} // namespace

int main(int argc, char **argv) {
  return hybridfft::bench::run_on_cubes(
      argc, argv, "hybridfft-bench-bidirectional",
      "The exchanges of a linear time step of the solver, without any computing. Each round is a "
      "step.",
      measure);
}
