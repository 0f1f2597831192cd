// hybridfft-bench-pruned MODES GRID [ROUNDS] [--pencils P1]: measures real transforms between a
// transposed spectrum of MODES^3 modes and a grid of GRID^3 points, in double precision. A pruned
// plan is compared with unpruned plans for the grid, by this library and by FFTW-MPI. These start
// from spectra with zeros, so padding and truncation are not timed. All plans are made with
// MEASURE. Plans of this library are between slabs or, with --pencils, between pencils on a process
// grid of P1 rows. The plans run alternately. The table has the times of the slowest rank, and for
// this library the bytes read, written and sent by the stages of all ranks, and their flops.
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
#include "hybridfft/pencils.hpp"
#include "support/cli_options.h"
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

/// Formats three columns of the table, sums over all ranks: MB read and written by the passes, MB
/// exchanged, and GFlop. The profile counts exchanged bytes twice, as read and as written.
template <class Plan> std::string work_of(const Plan &plan) {
  double passes = 0;
  double exchange = 0;
  double flops = 0;
  for (const hfft_stage_profile &s : plan.profile()) {
    (std::string(s.name).starts_with("exchange") ? exchange : passes) += s.bytes;
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
    fill();
  }
  Ours(const Layout &from, const Layout &to, const Options &options)
      : sizes(local_sizes<double, K>(from, to, options)), in(sizes.allocate_in),
        out(sizes.allocate_out), plan(from, to, in, out, options) {
    fill();
  }
  void fill() {
    for (std::size_t i = 0; i < in.size(); ++i)
      in[i] = std::sin(static_cast<double>(i));
  }
  LocalSizes sizes;
  Buffer<typename Elements<double, K>::In> in;
  Buffer<typename Elements<double, K>::Out> out;
  Plan<double, K> plan;
};

template <Kind K>
std::shared_ptr<Ours<K>> between_pencils(const std::vector<std::ptrdiff_t> &n,
                                         const std::vector<std::ptrdiff_t> &modes,
                                         const Options &options, int rows) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Pencils l = pruned_pencils(n, modes, {rows, ranks / rows}, true);
  return K == Kind::r2c ? std::make_shared<Ours<K>>(l.points, l.spectrum, options)
                        : std::make_shared<Ours<K>>(l.spectrum, l.points, options);
}

/// Returns a plan of this library between slabs, or between pencils if `rows` of a process grid are
/// given.
template <Kind K> Contestant ours(std::ptrdiff_t points, std::ptrdiff_t modes, int rows) {
  const std::vector<std::ptrdiff_t> n(3, points);
  const std::vector<std::ptrdiff_t> kept(3, modes);
  Options options;
  if (modes < points) options.modes = kept;
  std::shared_ptr<Ours<K>> transform;
  if (rows > 0) {
    transform = between_pencils<K>(n, kept, options, rows);
  } else {
    (K == Kind::r2c ? options.transposed_out : options.transposed_in) = true;
    transform = std::make_shared<Ours<K>>(n, options);
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::fprintf(stderr, "%s", transform->plan.describe().c_str());
  return {modes < points ? "pruned" : "whole",
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

void measure(std::ptrdiff_t modes, std::ptrdiff_t n, int rounds, int rows) {
  fftw_init_threads();
  fftw_mpi_init();
  fftw_plan_with_nthreads(omp_get_max_threads());
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("| direction | plan | median, ms | quartiles | ratio | passes, MB | exchanged, MB "
                "| GFlop |\n|---|---|---|---|---|---|---|---|\n");
  compare("backward",
          {ours<Kind::c2r>(n, modes, rows), ours<Kind::c2r>(n, n, rows), fftw<Kind::c2r>(n)},
          rounds);
  compare("forward",
          {ours<Kind::r2c>(n, modes, rows), ours<Kind::r2c>(n, n, rows), fftw<Kind::r2c>(n)},
          rounds);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Pruned transforms against whole ones of the same grid, in turns.",
               "hybridfft-bench-pruned");
  std::ptrdiff_t modes = 0;
  std::ptrdiff_t grid = 0;
  int rounds = 11;
  int rows = 0;
  app.add_option("modes", modes, "Modes along each axis")
      ->required()
      ->check(tools::between<std::ptrdiff_t>(1, 1 << 20));
  app.add_option("grid", grid, "Points along each axis, more than modes")
      ->required()
      ->check(tools::between<std::ptrdiff_t>(2, 1 << 20));
  app.add_option("rounds", rounds, "Repetitions that count")
      ->capture_default_str()
      ->check(tools::between<std::ptrdiff_t>(1, 1000000));
  app.add_option("--pencils", rows, "Rows of a process grid, instead of slabs")
      ->check(tools::between<std::ptrdiff_t>(1, 1 << 20));
  return tools::run(argc, argv, app, [&](MPI_Comm) {
    if (grid <= modes)
      throw std::invalid_argument("grid is " + std::to_string(grid) + ", expected more than " +
                                  std::to_string(modes) + ", the modes");
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rows > 0 && ranks % rows != 0)
      throw std::invalid_argument("--pencils is " + std::to_string(rows) +
                                  ", expected a divisor of " + std::to_string(ranks) +
                                  ", the number of ranks");
    measure(modes, grid, rounds, rows);
    return 0;
  });
}
