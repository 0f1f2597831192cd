// hybridfft-bench-pruned MODES GRID [ROUNDS]: real transforms between MODES^3 modes, left
// transposed, and a grid of GRID^3 points, in double precision, all measured plans: by a pruned
// plan, and by whole plans of the grid, ours and FFTW-MPI's, whose spectrum has its zeros already:
// padding and truncating are not counted. In turns; a table with the times of the slowest rank, and
// what the stages of our plans read and write, send and compute, of all ranks.
#include <fftw3-mpi.h>
#include <omp.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/statistics.h"
#include "hybridfft/hybridfft.hpp"
#include "support/mpi_main.h"

namespace {

using namespace hybridfft;

struct Contestant {
  std::string name;
  std::function<void()> run;
  std::string work;          ///< columns of the table
  std::vector<double> times; ///< milliseconds
};

double sum_of_ranks(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

/// Bytes of the passes, bytes of the exchange, read once and written once each, and flops.
template <class Plan> std::string work_of(const Plan &plan) {
  double passes = 0;
  double exchange = 0;
  double flops = 0;
  for (const hfft_stage_profile &s : plan.profile()) {
    (std::string(s.name) == "exchange" ? exchange : passes) += s.bytes;
    flops += s.flops;
  }
  char text[80];
  std::snprintf(text, sizeof text, "%.1f | %.1f | %.2f", sum_of_ranks(passes) / 1e6,
                sum_of_ranks(exchange) / 2e6, sum_of_ranks(flops) / 1e9);
  return text;
}

template <Kind K> struct Ours {
  Ours(const std::vector<std::ptrdiff_t> &n, const Options &options)
      : sizes(local_sizes<double, K>(n, options)), in(sizes.allocate_in), out(sizes.allocate_out),
        plan(n, in, out, options) {
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = std::sin(static_cast<double>(i));
  }
  LocalSizes sizes;
  Buffer<typename Elements<double, K>::In> in;
  Buffer<typename Elements<double, K>::Out> out;
  Plan<double, K> plan;
};

template <Kind K> Contestant ours(std::ptrdiff_t n, std::ptrdiff_t modes) {
  Options options;
  (K == Kind::r2c ? options.transposed_out : options.transposed_in) = true;
  if (modes < n) options.modes = {modes, modes, modes};
  const auto transform = std::make_shared<Ours<K>>(std::vector<std::ptrdiff_t>{n, n, n}, options);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::fprintf(stderr, "%s", transform->plan.describe().c_str());
  return {modes < n ? "pruned" : "whole",
          [transform] { transform->plan.execute(); },
          work_of(transform->plan),
          {}};
}

template <Kind K> Contestant fftw(std::ptrdiff_t n) {
  std::ptrdiff_t unused[4];
  const std::ptrdiff_t size = fftw_mpi_local_size_3d_transposed(
      n, n, n / 2 + 1, MPI_COMM_WORLD, unused, unused + 1, unused + 2, unused + 3);
  const auto reals = static_cast<std::size_t>(2 * size);
  const std::shared_ptr<double> real(fftw_alloc_real(reals), fftw_free);
  const std::shared_ptr<double> complex(fftw_alloc_real(reals), fftw_free);
  auto *modes = reinterpret_cast<fftw_complex *>(complex.get());
  const std::shared_ptr<fftw_plan_s> plan(
      K == Kind::r2c ? fftw_mpi_plan_dft_r2c_3d(n, n, n, real.get(), modes, MPI_COMM_WORLD,
                                                FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT)
                     : fftw_mpi_plan_dft_c2r_3d(n, n, n, modes, real.get(), MPI_COMM_WORLD,
                                                FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN),
      fftw_destroy_plan);
  for (std::ptrdiff_t i = 0; i < 2 * size; ++i)
    real.get()[i] = complex.get()[i] = std::sin(static_cast<double>(i));
  return {"FFTW-MPI", [real, complex, plan] { fftw_execute(plan.get()); }, " | | ", {}};
}

void time_once(Contestant &c) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  c.run();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  c.times.push_back(1e3 * seconds);
}

void compare(const char *direction, std::vector<Contestant> contestants, int rounds) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = -1; round < rounds; ++round)
    for (Contestant &c : contestants) {
      time_once(c);
      if (round < 0) c.times.clear(); // a warm-up
    }
  if (rank != 0) return;
  const double first = bench::summarize(contestants.front().times).median;
  for (const Contestant &c : contestants) {
    const bench::Summary s = bench::summarize(c.times);
    std::printf("| %s | %s | %.1f | %.1f .. %.1f | %.2f | %s |\n", direction, c.name.c_str(),
                s.median, s.lower, s.upper, s.median / first, c.work.c_str());
  }
}

void measure(std::ptrdiff_t modes, std::ptrdiff_t n, int rounds) {
  fftw_init_threads();
  fftw_mpi_init();
  fftw_plan_with_nthreads(omp_get_max_threads());
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("| direction | plan | median, ms | quartiles | ratio | passes, MB | exchanged, MB "
                "| GFlop |\n|---|---|---|---|---|---|---|---|\n");
  compare("backward", {ours<Kind::c2r>(n, modes), ours<Kind::c2r>(n, n), fftw<Kind::c2r>(n)},
          rounds);
  compare("forward", {ours<Kind::r2c>(n, modes), ours<Kind::r2c>(n, n), fftw<Kind::r2c>(n)},
          rounds);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Pruned transforms against whole ones of the same grid, in turns.",
               "hybridfft-bench-pruned");
  std::ptrdiff_t modes = 0;
  std::ptrdiff_t grid = 0;
  int rounds = 11;
  app.add_option("modes", modes, "Modes along each axis")
      ->required()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("grid", grid, "Points along each axis, more than modes")
      ->required()
      ->check(CLI::Range(2, 1 << 20));
  app.add_option("rounds", rounds, "Repetitions that count")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  return tools::run(argc, argv, app, [&](MPI_Comm) {
    if (grid <= modes)
      throw std::invalid_argument("grid is " + std::to_string(grid) + ", expected more than " +
                                  std::to_string(modes) + ", the modes");
    measure(modes, grid, rounds);
    return 0;
  });
}
