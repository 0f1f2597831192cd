/// hybridfft-bench-ranks: measures how costs grow with the number of ranks: calls, messages and
/// memory (except arrays) for creating plans and for executions. Uses communicators of 1, 2, 4, ...
/// ranks, up to all.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mpi.h"
#include "hybridfft/hybridfft.hpp"
#include "hybridfft/pencils.hpp"
#include "messages/heap_count.h"
#include "messages/message_count.h"

namespace {

using namespace hybridfft;

constexpr std::array<std::ptrdiff_t, 3> extents{256, 256, 4};

/// Cost of a call, each number from the rank with the maximum.
struct Cost {
  long long collectives = 0; ///< calls of collective operations
  long long messages = 0;
  long long bytes =
      0; ///< bytes in messages; collective exchanges are counted as messages, see message_count.h
  long long kept = 0; ///< increase of the heap in bytes, arrays excluded
  long long peak = 0; ///< maximum of this increase during the call
  long long allocations = 0;
  double seconds = 0;

  void max_of(MPI_Comm comm) {
    for (long long *n : {&collectives, &messages, &bytes, &kept, &peak, &allocations})
      mpi::check(MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_LONG_LONG, MPI_MAX, comm), "MPI_Allreduce");
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm),
               "MPI_Allreduce");
  }
};

template <class F> Cost cost_of(const F &f, MPI_Comm comm) {
  mpi::check(MPI_Barrier(comm), "MPI_Barrier");
  Cost cost;
  start_counting_messages();
  start_counting_heap();
  cost.seconds = -MPI_Wtime();
  f();
  cost.seconds += MPI_Wtime();
  const HeapCount heap = stop_counting_heap();
  const MessageCount messages = stop_counting_messages();
  cost.collectives = messages.collectives;
  cost.messages = messages.messages;
  cost.bytes = messages.bytes;
  cost.kept = heap.kept;
  cost.peak = heap.peak;
  cost.allocations = heap.allocations;
  cost.max_of(comm);
  return cost;
}

using Transform = Plan<double, Kind::c2c>;

/// A decomposition of the grid: layouts of the points and of the spectrum.
struct Decomposition {
  const char *name;
  Layout points, spectrum;
};

std::vector<Decomposition> decompositions(int ranks) {
  std::array<int, 2> square{}; // factors of the number of ranks, the larger one first
  mpi::check(MPI_Dims_create(ranks, 2, square.data()), "MPI_Dims_create");
  const Pencils grid = pencils(extents, {square[1], square[0]}, false);
  return {{"slab", Layout::slab(extents, ranks), Layout::slab(extents, ranks, {true, 0, 1, 0})},
          {"pencil", grid.points, grid.spectrum}};
}

void print(const char *name, int ranks, const char *what, const Cost &c, double share) {
  std::printf("| %s | %d | %s | %lld | %lld | %lld | %lld | %lld | %lld | %.3g |\n", name, ranks,
              what, c.collectives, c.messages, c.bytes, c.allocations, c.kept, c.peak,
              1e3 * c.seconds * share);
}

void measure(MPI_Comm comm, bool prints) {
  const int ranks = mpi::size(comm);
  // If ranks outnumber the cores, times are scaled to ranks with a core each.
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  const double share = std::min(1.0, cores / ranks);
  for (const Decomposition &d : decompositions(ranks)) {
    Options options;
    options.comm = comm;
    options.effort = Effort::estimate;
    options.threads = 1;
    const LocalSizes sizes = local_sizes<double, Kind::c2c>(d.points, d.spectrum, options);
    Buffer<std::complex<double>> in(sizes.allocate_in), out(sizes.allocate_out);
    std::vector<std::unique_ptr<Transform>> plans;
    const auto make = [&] {
      plans.push_back(std::make_unique<Transform>(d.points, d.spectrum, in, out, options));
    };
    const Cost first = cost_of(make, comm);
    std::vector<Cost> others;
    for (int i = 0; i < 5; ++i)
      others.push_back(cost_of(make, comm));
    std::sort(others.begin(), others.end(),
              [](const Cost &a, const Cost &b) { return a.seconds < b.seconds; });
    plans.back()->execute();
    const Cost run = cost_of([&] { plans.back()->execute(); }, comm);
    if (prints) {
      print(d.name, ranks, "first plan", first, share);
      print(d.name, ranks, "another plan", others[others.size() / 2], share);
      print(d.name, ranks, "execution", run, share);
      std::fflush(stdout);
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const int rank = mpi::rank(MPI_COMM_WORLD), size = mpi::size(MPI_COMM_WORLD);
  int status = 0;
  if (argc > 1) {
    if (rank == 0)
      std::fprintf(stderr, "hybridfft-bench-ranks: unknown argument '%s', expected none\n",
                   argv[1]);
    status = 1;
  } else {
    if (rank == 0)
      std::puts(
          "| decomposition | ranks | what | collective calls | messages | bytes sent | allocations "
          "| bytes "
          "kept | bytes at most | ms x cores / ranks |\n|---|---|---|---|---|---|---|---|---|---|");
    for (int ranks = 1; ranks <= size;
         ranks = ranks < size ? std::min(2 * ranks, size) : size + 1) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &comm);
      if (comm != MPI_COMM_NULL) {
        measure(comm, rank == 0);
        MPI_Comm_free(&comm);
      }
      // Waiting ranks sleep, because ranks outnumber the processors.
      MPI_Request done = MPI_REQUEST_NULL;
      MPI_Ibarrier(MPI_COMM_WORLD, &done);
      for (int flag = 0; flag == 0;) {
        MPI_Test(&done, &flag, MPI_STATUS_IGNORE);
        if (flag == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }
  MPI_Finalize();
  return status;
}
