/// With MPI_THREAD_MULTIPLE several threads make and execute plans at the same time. Each thread
/// uses communicators of its own. The order of the threads differs between the ranks, and an
/// execution may be started by one thread and ended by another. The exit status is 0 if all results
/// are right, 77 if MPI provides a lower thread level.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "hybridfft/hybridfft.hpp"

namespace {

using namespace hybridfft;
using Complex = std::complex<double>;
using Extents = std::array<std::ptrdiff_t, 3>;

constexpr int max_threads = 3;
std::atomic<int> failures{0};

void expect(bool ok, const char *what, int thread) {
  if (ok) return;
  std::fprintf(stderr, "thread %d: %s\n", thread, what);
  ++failures;
}

/// Transforms a wave along n0 with the wave number thread + 1: its spectrum has one coefficient.
void transform(const Extents &n, const Options &options, int thread) {
  const LocalSizes sizes = local_sizes<double, Kind::c2c>(n, options);
  Buffer<Complex> in(sizes.allocate_in);
  Buffer<Complex> out(sizes.allocate_out);
  Plan<double, Kind::c2c> plan(n, in, out, options);
  const int wave = thread + 1;
  plan.input().for_each<3>([&](std::ptrdiff_t at, const Extents &i) {
    in[at] = std::polar(1.0, 2 * std::numbers::pi * wave * static_cast<double>(i[0]) /
                                 static_cast<double>(n[0]));
  });
  if (options.nonblocking) {
    if (wave % 2 == 0) // the starting thread ends before wait()
      std::thread([&plan] { plan.start(); }).join();
    else
      plan.start();
    while (wave < max_threads && !plan.test())
      std::this_thread::yield();
    plan.wait();
  } else {
    plan.execute();
  }
  const auto points = static_cast<double>(n[0] * n[1] * n[2]);
  double error = 0;
  plan.output().for_each<3>([&](std::ptrdiff_t at, const Extents &k) {
    const bool peak = k == Extents{wave, 0, 0};
    error = std::max(error, std::abs(out[at] - (peak ? points : 0.0)));
  });
  // Tolerance: each result is a sum of terms of modulus one, with a dozen roundings.
  expect(error < 1e-13 * points, "a wrong transform", thread);
  const bool asked = options.threads == 0 ||
                     plan.describe().find("x " + std::to_string(options.threads) + " threads") !=
                         std::string::npos;
  expect(asked, "another number of threads", thread);
}

void work(int thread, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (int round = 0; round < 6; ++round) {
    MPI_Comm own = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &own);
    // On each rank a different thread comes first.
    std::this_thread::sleep_for(std::chrono::milliseconds((thread + rank + round) % 3 * 5));
    Options options;
    options.comm = own;
    options.effort = round % 2 == 0 ? Effort::measure : Effort::estimate;
    options.threads = round > 3 ? 0 : thread + 1;
    options.transposed_out = round % 3 == 0;
    options.nonblocking = round > 1 && round < 5;
    try {
      transform({12 + round, 10 + thread, 8}, options, thread);
      transform({12 + round, 10 + thread, 8}, options, thread);
    } catch (const Error &e) {
      expect(false, e.what(), thread);
    }
    MPI_Comm_free(&own);
  }
}

void run_all() {
  std::vector<MPI_Comm> comms(max_threads);
  for (MPI_Comm &comm : comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (int t = 0; t < max_threads; ++t)
    threads.emplace_back(work, t, comms[static_cast<std::size_t>(t)]);
  for (std::thread &t : threads)
    t.join();
  for (MPI_Comm &comm : comms)
    MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    return 77;
  }
  for (const char *exchange : {"", "fftw"}) {
    setenv("HFFT_EXCHANGE", exchange, 1);
    run_all();
  }
  expect(hfft_planner_nthreads() == 0, "the setting of the process has changed", -1);
  int all = failures;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
