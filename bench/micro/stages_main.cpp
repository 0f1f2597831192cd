/// Compares the stages of a transform with a lower bound of their time, the "floor": a STREAM copy
/// of as many bytes on all ranks at once. Copies and stages run alternately, under the same
/// conditions. Times are those of the slowest rank: "ms" is a median, "floor_ms" the fastest copy
/// of all rounds, "floor_GB/s" its bandwidth, and "x_floor" the ratio of both times. Bytes and
/// flops are those of rank 0, which has the maximum. The floor of a plan is two copies, for two
/// passes over memory.
///
///   mpirun -np R hybridfft-bench-stages [--size=256x256x256] [--kind=c2c|r2c]
///     [--precision=single|double] [--threads=OMP_NUM_THREADS] [--effort=measure|estimate|patient]
///     [--tile-kib=32] [--rounds=11] [--about=no|yes] [--table=no|yes]
///     [Google Benchmark's options]
///
/// --about describes each stage, and --table prints Markdown for bench/results.
#include <benchmark/benchmark.h>
#include <mpi.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>

#include "base/mpi.h"
#include "common/stream_copy.h"
#include "micro/in_turns.h"
#include "micro/options.h"
#include "micro/stages.h"

namespace hybridfft::bench {
namespace {

/// Returns the seconds of f() on the slowest rank, from a common start.
double slowest_rank(MPI_Comm comm, const std::function<void()> &f) {
  MPI_Barrier(comm);
  double seconds = local_seconds(f);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

void measure(benchmark::State &state, const MicroStage &stage, const Stages &stages, int threads,
             MPI_Comm comm) {
  const auto part = static_cast<std::size_t>(stage.bytes / (2 * stage.copies));
  const auto copy = [&] {
    for (int i = 0; i < stage.copies; ++i)
      stream_copy(stages.in().data(), stages.out().data(), part, threads);
  };
  const Turns turns = take_turns(
      state, [comm](const std::function<void()> &f) { return slowest_rank(comm, f); }, copy,
      stage.run);
  state.counters["MB"] = 1e-6 * stage.bytes;
  state.counters["MFlop"] = 1e-6 * stage.flops;
  state.counters["ms"] = 1e3 * turns.work.median;
  state.counters["floor_ms"] = 1e3 * turns.copy.min;
  state.counters["floor_GB/s"] = 1e-9 * stage.bytes * mpi::size(comm) / turns.copy.min;
  state.counters["x_floor"] = turns.work.median / turns.copy.min;
}

/// Prints the table for bench/results, on rank 0 only.
class Table : public benchmark::BenchmarkReporter {
public:
  explicit Table(bool silent) : silent_(silent) {}

  bool ReportContext(const Context &) override {
    if (silent_) return true;
    std::puts("| stage | MB | GFlop/s | ms | floor, ms | floor, GB/s | x floor |\n"
              "|---|---|---|---|---|---|---|");
    return true;
  }
  void ReportRuns(const std::vector<Run> &runs) override {
    if (silent_) return;
    for (const Run &run : runs) {
      const auto value = [&](const char *name) { return run.counters.at(name).value; };
      std::printf("| %s | %.0f | %.1f | %.2f | %.2f | %.1f | %.2f |\n",
                  run.run_name.function_name.c_str(), value("MB"), value("MFlop") / value("ms"),
                  value("ms"), value("floor_ms"), value("floor_GB/s"), value("x_floor"));
    }
    std::fflush(stdout);
  }
  void Finalize() override {
    if (!silent_)
      std::puts("\nx floor: median ms over the floor, the fastest STREAM copy of as many bytes by "
                "all threads of all ranks, in turns with the stage; that of a plan is two copies.");
  }

private:
  bool silent_;
};

struct Options {
  StageProblem problem;
  bool single = true;
  std::size_t rounds = 11;
  bool about = false;
  bool table = false;
};

Options read_options(int argc, char **argv) {
  MicroArguments arguments(argc, argv);
  Options o;
  o.problem.extents = arguments.extents("size", "256x256x256");
  o.problem.kind = choice("kind", arguments.text("kind", "c2c"), {"c2c", "r2c"}) == 0
                       ? local::Kind::c2c
                       : local::Kind::r2c;
  o.single = choice("precision", arguments.text("precision", "single"), {"single", "double"}) == 0;
  o.problem.threads = static_cast<int>(
      arguments.number("threads", static_cast<std::size_t>(omp_get_max_threads())));
  constexpr unsigned efforts[] = {FFTW_MEASURE, FFTW_ESTIMATE, FFTW_PATIENT};
  o.problem.effort = efforts[choice("effort", arguments.text("effort", "measure"),
                                    {"measure", "estimate", "patient"})];
  o.problem.tile_bytes = static_cast<std::ptrdiff_t>(arguments.number("tile-kib", 32)) << 10;
  o.rounds = arguments.number("rounds", o.rounds);
  o.about = choice("about", arguments.text("about", "no"), {"no", "yes"}) == 1;
  o.table = choice("table", arguments.text("table", "no"), {"no", "yes"}) == 1;
  // Only rank 0 writes the result file.
  if (mpi::rank(MPI_COMM_WORLD) != 0) arguments.text("benchmark_out", "");
  arguments.initialize_benchmarks();
  return o;
}

void run(int argc, char **argv) {
  const Options options = read_options(argc, argv);
  const auto comm = exchange::acquire(MPI_COMM_WORLD);
  const std::unique_ptr<Stages> stages = options.single
                                             ? make_stages<float>(options.problem, comm)
                                             : make_stages<double>(options.problem, comm);
  for (const MicroStage &stage : stages->list()) {
    benchmark::RegisterBenchmark(stage.name.c_str(), measure, stage, std::cref(*stages),
                                 options.problem.threads, comm->get())
        ->Iterations(static_cast<benchmark::IterationCount>(options.rounds))
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    if (options.about && comm->rank() == 0)
      std::printf("%s: %s\n", stage.name.c_str(), stage.about.c_str());
  }
  benchmark::AddCustomContext("ranks x threads", std::to_string(comm->size()) + " x " +
                                                     std::to_string(options.problem.threads));
  Table table(comm->rank() != 0);
  if (comm->rank() == 0 && !options.table)
    benchmark::RunSpecifiedBenchmarks();
  else
    benchmark::RunSpecifiedBenchmarks(&table);
}

} // namespace
} // namespace hybridfft::bench

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    hybridfft::bench::run(argc, argv);
  } catch (const std::exception &e) {
    // The other ranks may not have failed and would wait, so the job is aborted.
    std::fprintf(stderr, "hybridfft-bench-stages: error: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
