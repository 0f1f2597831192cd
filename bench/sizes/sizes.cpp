// hybridfft-bench-sizes: measures the time per point of transforms of n x n x n points for many n,
// and compares their memory with the prediction. Transforms are complex in single precision, out of
// place, between slabs, with a transposed spectrum. The cost is the time of the slowest rank
// divided by N log2 N, N = n^3. The predicted memory of all ranks is the sum of both arrays
// (hfft_local_size_3d_transposed) and of the plan (hfft_plan_work_bytes). The measured memory is
// the decrease of the ranks' proportional set sizes (Pss_Anon and Pss_Shmem of
// /proc/self/smaps_rollup, which count shared memory once) when arrays and plan are destroyed. It
// excludes memory that MPI keeps for its own messages.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/statistics.h"
#include "hybridfft/hybridfft.hpp"
#include "support/cli_options.h"
#include "support/effort_option.h"
#include "support/mpi_main.h"

namespace {

using namespace hybridfft;

double sum_of_ranks(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

struct Destroy {
  void operator()(hfftf_plan plan) const { hfftf_destroy_plan(plan); }
};
using PlanPointer = std::unique_ptr<std::remove_pointer_t<hfftf_plan>, Destroy>;

hfftf_complex *of(Buffer<std::complex<float>> &array) {
  return reinterpret_cast<hfftf_complex *>(array.data());
}

/// Returns the bytes of this process's data in memory, including its share of shared data. Code of
/// programs and libraries is excluded, because the number of processes that share it varies.
double proportional_set() {
  std::ifstream file("/proc/self/smaps_rollup");
  int found = 0;
  double bytes = 0;
  for (std::string line; std::getline(file, line);)
    for (const std::string name : {"Pss_Anon:", "Pss_Shmem:"})
      if (line.starts_with(name)) {
        ++found;
        bytes += 1024 * std::stod(line.substr(name.size()));
      }
  if (found != 2)
    throw std::runtime_error("/proc/self/smaps_rollup: found " + std::to_string(found) +
                             " lines 'Pss_Anon:' and 'Pss_Shmem:', expected both (Linux 5.4)");
  return bytes;
}

struct Result {
  double milliseconds = 0;            ///< the median
  double predicted = 0, measured = 0; ///< bytes of all ranks
};

Result measure(std::ptrdiff_t n, Effort effort, int rounds) {
  const std::array<std::ptrdiff_t, 3> extents{n, n, n};
  struct hfft_options options = HFFT_OPTIONS_INIT;
  options.flags = static_cast<unsigned>(effort) | HFFT_TRANSPOSED_OUT;
  std::ptrdiff_t planes = 0, start = 0, columns = 0, first = 0;
  const auto size = static_cast<std::size_t>(
      hfftf_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &planes, &start, &columns, &first));
  Buffer<std::complex<float>> in(size), out(size);
  PlanPointer plan(hfftf_plan_slabs(HFFT_C2C, 3, extents.data(), of(in), of(out), MPI_COMM_WORLD,
                                    HFFT_FORWARD, &options));
  if (plan == nullptr) throw std::runtime_error(hfft_last_error_message());
  Result result;
  result.predicted = sum_of_ranks(static_cast<double>(2 * sizeof(std::complex<float>) * size +
                                                      hfftf_plan_work_bytes(plan.get())));
  std::fill(in.begin(), in.end(), 1.0F);
  std::fill(out.begin(), out.end(), 0.0F);
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = -MPI_Wtime();
    if (hfftf_execute(plan.get()) != HFFT_SUCCESS)
      throw std::runtime_error(hfft_last_error_message());
    seconds += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (round > 0) times.push_back(1e3 * seconds);
  }
  result.milliseconds = bench::summarize(times).median;
  MPI_Barrier(MPI_COMM_WORLD);
  const double held = sum_of_ranks(proportional_set());
  plan.reset();
  in = {};
  out = {};
  MPI_Barrier(MPI_COMM_WORLD);
  result.measured = held - sum_of_ranks(proportional_set());
  MPI_Barrier(MPI_COMM_WORLD);
  return result;
}

int measure_all(const std::vector<std::ptrdiff_t> &sizes, Effort effort, int rounds, bool prints) {
  if (prints)
    std::puts("| points | ms | ns/(N log2 N) | predicted, MB | measured, MB | deviation "
              "|\n|---|---|---|---|---|---|");
  // Makes freed arrays return to the system at once instead of staying in a heap for the next size.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 0);
  // The first measurement is discarded, because it includes the initialisation of MPI and other
  // libraries.
  measure(sizes.front(), effort, 1);
  double least = 1e300, most = 0, worst = 0;
  for (const std::ptrdiff_t n : sizes) {
    const Result r = measure(n, effort, rounds);
    const double points = std::pow(static_cast<double>(n), 3);
    const double cost = 1e6 * r.milliseconds / (points * std::log2(points));
    const double deviation = r.measured / r.predicted - 1;
    least = std::min(least, cost);
    most = std::max(most, cost);
    worst = std::max(worst, std::abs(deviation));
    if (!prints) continue;
    std::printf("| %td^3 | %.4g | %.4g | %.2f | %.2f | %+.1f %% |\n", n, r.milliseconds, cost,
                1e-6 * r.predicted, 1e-6 * r.measured, 100 * deviation);
    std::fflush(stdout);
  }
  if (prints)
    std::printf("\nCost of the dearest over that of the cheapest: %.2f. Largest deviation of "
                "memory: %.1f %%\n",
                most / least, 100 * worst);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Cost per point and memory of transforms of many sizes.", "hybridfft-bench-sizes");
  std::vector<std::ptrdiff_t> sizes{64, 80, 96, 128, 160, 192, 256, 320, 384, 448, 512, 576, 640};
  int rounds = 7;
  Effort effort = Effort::measure;
  app.add_option("--sizes", sizes, "Points along each axis, separated by commas")
      ->delimiter(',')
      ->check(tools::between<std::ptrdiff_t>(2, 1 << 20));
  app.add_option("--rounds", rounds, "Repetitions that count")
      ->capture_default_str()
      ->check(tools::between<std::ptrdiff_t>(1, 1000000));
  tools::add_effort(app, effort);
  return tools::run(argc, argv, app, [&](MPI_Comm) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return measure_all(sizes, effort, rounds, rank == 0);
  });
}
