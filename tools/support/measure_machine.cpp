// Measures the parameters of the cost model by short loops of copies, FFTs and messages. Each time
// is the fastest of several rounds, on the slowest rank.
#include "support/measure_machine.h"

#include <fftw3.h>
#include <omp.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/mpi.h"
#include "hybridfft/hybridfft.hpp"

namespace hybridfft::tools {

namespace {

constexpr int rounds = 5;

/// Returns the seconds of f() on the slowest rank, in the fastest of several rounds after a
/// warm-up. Collective.
template <class F> double seconds_of(MPI_Comm comm, const F &f) {
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= rounds; ++round) {
    mpi::check(MPI_Barrier(comm), "MPI_Barrier");
    double seconds = -MPI_Wtime();
    f();
    seconds += MPI_Wtime();
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm),
               "MPI_Allreduce");
    if (round > 0) least = std::min(least, seconds);
  }
  return least;
}

/// Returns the bytes that one rank reads and writes per second while all ranks copy. Each of the
/// rank's `threads` threads copies `bytes` bytes `times` times.
double copy_bandwidth(MPI_Comm comm, int threads, std::size_t bytes, int times) {
  std::vector<std::vector<char>> from(static_cast<std::size_t>(threads)), to = from;
#pragma omp parallel num_threads(threads)
  {
    const auto me = static_cast<std::size_t>(omp_get_thread_num());
    from[me].assign(bytes, 1);
    to[me].assign(bytes, 2);
  }
  const double seconds = seconds_of(comm, [&] {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < times; ++i) {
      const auto me = static_cast<std::size_t>(omp_get_thread_num());
      std::memcpy(to[me].data(), from[me].data(), bytes);
      from[me][0] = to[me][bytes - 1]; // uses the copies, so the compiler cannot remove them
    }
  });
  return 2.0 * static_cast<double>(bytes) * threads * times / seconds;
}

/// Returns flop/s of one thread. execute() transforms `points` numbers in cache and counts as
/// `flops` operations.
template <class F>
double transform_rate(MPI_Comm comm, double points, double flops, const F &execute) {
  const int times = std::max(1, static_cast<int>(2e6 / points));
  return flops * times / seconds_of(comm, [&] {
           for (int i = 0; i < times; ++i)
             execute();
         });
}

/// Measures complex FFTs of 32 x 32 x 32 points in single precision (256 KiB), with a plan of this
/// library and with FFTW.
void measure_kernels(MPI_Comm comm, MachineParameters &machine) {
  constexpr std::ptrdiff_t n = 32;
  constexpr double points = n * n * n, flops = 5 * points * 15;
  const std::array<std::ptrdiff_t, 3> extents{n, n, n};
  Options options;
  options.comm = MPI_COMM_SELF;
  options.threads = 1;
  Buffer<std::complex<float>> a(static_cast<std::size_t>(points)),
      b(static_cast<std::size_t>(points));
  Plan<float, Kind::c2c> plan(extents, a, b, options);
  std::fill_n(a.data(), static_cast<std::size_t>(points), 0.0F);
  machine.simd_rate = transform_rate(comm, points, flops, [&] { plan.execute(); });
  auto *in = reinterpret_cast<fftwf_complex *>(a.data());
  auto *out = reinterpret_cast<fftwf_complex *>(b.data());
  const fftwf_plan reference = fftwf_plan_dft_3d(n, n, n, in, out, FFTW_FORWARD, FFTW_MEASURE);
  std::fill_n(a.data(), static_cast<std::size_t>(points), 0.0F);
  machine.fftw_rate = transform_rate(comm, points, flops, [&] { fftwf_execute(reference); });
  fftwf_destroy_plan(reference);
}

/// Returns the seconds of an exchange: each rank sends `bytes` bytes to the rank `distance` ranks
/// ahead and receives as many from the rank as far behind. It is the mean of `count` exchanges, one
/// after another.
double exchange_seconds(MPI_Comm comm, int distance, std::size_t bytes, int count) {
  const int size = mpi::size(comm), rank = mpi::rank(comm);
  const int to = (rank + distance) % size, from = (rank - distance + size) % size;
  std::vector<char> sent(bytes + 1), received(bytes + 1);
  return seconds_of(comm,
                    [&] {
                      for (int i = 0; i < count; ++i)
                        mpi::check(MPI_Sendrecv(sent.data(), static_cast<int>(bytes), MPI_BYTE, to,
                                                0, received.data(), static_cast<int>(bytes),
                                                MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE),
                                   "MPI_Sendrecv");
                    }) /
         count;
}

/// Returns the seconds per message if each rank sends and receives `count` empty messages at once.
/// The receiver is `distance` ranks ahead.
double message_seconds(MPI_Comm comm, int distance, int count) {
  const int size = mpi::size(comm), rank = mpi::rank(comm);
  const int to = (rank + distance) % size, from = (rank - distance + size) % size;
  std::vector<MPI_Request> requests(2 * static_cast<std::size_t>(count));
  return seconds_of(comm,
                    [&] {
                      for (int i = 0; i < count; ++i) {
                        const auto at = 2 * static_cast<std::size_t>(i);
                        mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, from, 0, comm, &requests[at]),
                                   "MPI_Irecv");
                        mpi::check(MPI_Isend(nullptr, 0, MPI_BYTE, to, 0, comm, &requests[at + 1]),
                                   "MPI_Isend");
                      }
                      mpi::check(MPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE),
                                 "MPI_Waitall");
                    }) /
         count;
}

/// Measures messages between ranks of the same node, and between ranks of neighbouring nodes.
/// Assumes consecutive ranks on each node, the default of launchers, and equally many ranks per
/// node.
void measure_messages(MPI_Comm comm, MPI_Comm node, MachineParameters &machine) {
  const int size = mpi::size(comm), per_node = mpi::size(node);
  constexpr std::size_t large = std::size_t{1} << 20;
  if (per_node > 1) {
    machine.near_latency = exchange_seconds(node, 1, 0, 20);
    machine.message_overhead = message_seconds(node, 1, 64) / 2;
  }
  if (per_node == size) return;
  machine.far_latency = exchange_seconds(comm, per_node, 0, 20);
  const double seconds = exchange_seconds(comm, per_node, large, 4) - machine.far_latency;
  machine.network_bandwidth = per_node * static_cast<double>(large) / std::max(seconds, 1e-9);
  machine.message_gap = message_seconds(comm, per_node, 64) / per_node;
}

} // namespace

MachineParameters with_this_node(MachineParameters machine) {
  machine.cores = static_cast<double>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  std::set<std::string> sockets;
  for (int cpu = 0; cpu < static_cast<int>(machine.cores); ++cpu) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/physical_package_id");
    if (std::string id; file >> id) sockets.insert(id);
  }
  machine.sockets = std::max<double>(1, static_cast<double>(sockets.size()));
  struct sysinfo system {};
  if (::sysinfo(&system) == 0)
    machine.memory = static_cast<double>(system.totalram) * system.mem_unit;
  return machine;
}

MachineParameters measure_machine(MPI_Comm comm, int threads) {
  MachineParameters machine = with_this_node({});
  MPI_Comm node = MPI_COMM_NULL;
  mpi::check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node),
             "MPI_Comm_split_type");
  const int per_node = mpi::size(node);
  constexpr std::size_t beyond_caches = std::size_t{64} << 20;
  const double all =
      per_node *
      copy_bandwidth(comm, threads, beyond_caches / static_cast<std::size_t>(threads), 4);
  // One core of each node copies while the others wait.
  const bool first = mpi::rank(node) == 0;
  const double one = copy_bandwidth(comm, 1, first ? beyond_caches : 64, first ? 4 : 1);
  double core = first ? one : std::numeric_limits<double>::infinity();
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &core, 1, MPI_DOUBLE, MPI_MIN, comm), "MPI_Allreduce");
  machine.core_bandwidth = core;
  machine.node_bandwidth = std::max(all, core);
  const long level2 = std::max(sysconf(_SC_LEVEL2_CACHE_SIZE), 256L << 10);
  machine.cache_bandwidth = copy_bandwidth(comm, 1, static_cast<std::size_t>(level2) / 4, 200);
  measure_kernels(comm, machine);
  if (threads > 1)
    machine.region_seconds = seconds_of(comm,
                                        [&] {
                                          for (int i = 0; i < 100; ++i) {
#pragma omp parallel num_threads(threads)
                                            {
#pragma omp barrier
                                            }
                                          }
                                        }) /
                             100;
  measure_messages(comm, node, machine);
  mpi::check(MPI_Comm_free(&node), "MPI_Comm_free");
  mpi::check(MPI_Bcast(&machine, sizeof(machine), MPI_BYTE, 0, comm), "MPI_Bcast");
  return machine;
}

} // namespace hybridfft::tools
