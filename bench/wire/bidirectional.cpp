// Measures the exchanges of a time step of the k-space solver without computation. Half spectra of
// real values in single precision are sent forward and backward as in a linear step, with the same
// messages and dependencies: each pass starts a part when its input fields have arrived, and sends
// its output fields.
#include <mpi.h>

#include <cstdio>
#include <initializer_list>

#include "operators/operator_plan.h"
#include "wire/on_cubes.h"

namespace {

using namespace hybridfft;
using Fields = std::initializer_list<int>;

/// A pass over rows that does nothing.
class IdlePass final : public local::Pass {
public:
  explicit IdlePass(std::ptrdiff_t rows) : Pass(rows) {}
  void execute(std::byte *, std::byte *, local::RowRange, const Poll &) const override {}
  bool in_place() const override { return true; }
  std::string describe() const override { return "nothing"; }
  std::size_t scratch_bytes() const override { return 0; }
};

void sweep(FieldProgram &program, Half half, std::span<const int> read,
           std::span<const int> write) {
  program.open(half, write, nullptr);
  program.run(half, read, write, nullptr);
}

void planes(FieldProgram &program, Fields read, Fields write) {
  sweep(program, Half::planes, read, write);
}

void lines(FieldProgram &program, Fields read, Fields write) {
  sweep(program, Half::lines, read, write);
}

/// Nine exchanges: for the pressure's gradient, the velocities, their divergence, and the next
/// pressure.
void time_step(FieldProgram &program) {
  lines(program, {0}, {2, 0});
  planes(program, {2}, {2});
  planes(program, {0}, {1});
  planes(program, {0}, {0});
  for (const int field : {2, 1, 0})
    lines(program, {field}, {field});
  planes(program, {2}, {});
  planes(program, {1}, {});
  planes(program, {0}, {0});
}

void measure(std::ptrdiff_t n, int steps) {
  const auto comm = exchange::acquire(MPI_COMM_WORLD);
  const BlockDistribution planes_cut(n, comm->size()), rows_cut(n / 2 + 1, comm->size());
  const auto exchanges =
      exchange::make_field_exchanges({planes_cut, rows_cut, n, sizeof(float)}, 3, comm, 1);
  FieldProgram program(exchanges, std::make_unique<IdlePass>(planes_cut.count(comm->rank())),
                       std::make_unique<IdlePass>(rows_cut.count(comm->rank())), 1);
  planes(program, {}, {0});
  time_step(program);
  MPI_Barrier(comm->get());
  const double start = MPI_Wtime();
  for (int step = 0; step < steps; ++step)
    time_step(program);
  // Completes the exchange of the pressure started by the last time step.
  lines(program, {0}, {0});
  MPI_Barrier(comm->get());
  const double seconds = (MPI_Wtime() - start) / steps;
  // Four fields go from planes to lines, and five back.
  const auto sent = [&](const BlockDistribution &from, const BlockDistribution &to) {
    return static_cast<double>(from.count(0) * (to.n() - to.count(0)));
  };
  const double bytes = (4 * sent(planes_cut, rows_cut) + 5 * sent(rows_cut, planes_cut)) *
                       static_cast<double>(n) * 2 * sizeof(float);
  if (comm->rank() == 0)
    std::printf("%s\n%td^3 on %d ranks: %.1f ms per step, %.1f MB from each rank\n",
                program.describe().c_str(), n, comm->size(), 1e3 * seconds, 1e-6 * bytes);
}

} // namespace

int main(int argc, char **argv) {
  return hybridfft::bench::run_on_cubes(
      argc, argv, "hybridfft-bench-bidirectional",
      "The exchanges of a linear time step of the solver, without any computing. Each round is a "
      "step.",
      measure);
}
