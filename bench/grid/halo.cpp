// Measures halo exchanges of single precision fields between blocks of a periodic row of ranks,
// alternately through shared memory of the node and by messages. Prints a table with the times of
// the slowest rank. The row of blocks is along the first axis (faces of long rows) or along the
// last axis (faces of short rows).
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "common/statistics.h"
#include "hybridfft/grid/halo.hpp"
#include "hybridfft/grid/parallel_for.hpp"
#include "wire/on_cubes.h"

namespace {

using namespace hybridfft;
using namespace hybridfft::grid;

constexpr Index width = 4;

/// Fields of this rank's block and their exchange by one transport.
class Contestant {
public:
  Contestant(const Cartesian &c, int fields, int threads, const char *transport) {
    const Box box = c.box(c.mine()[0]);
    std::vector<Array<float> *> pointers;
    for (int f = 0; f < fields; ++f) {
      fields_.push_back(
          std::make_unique<Array<float>>(Place::host, box, Widths::all(width), threads));
      const View<float> v = fields_.back()->view();
      parallel_for(
          Host{threads}, box, HFFT_LAMBDA(Index i, Index j, Index k) {
            v(i, j, k) = static_cast<float>(f + 10 * (i % 97) + 1000 * (j % 89) + k % 7);
          });
      pointers.push_back(fields_.back().get());
    }
    setenv("HFFT_HALO", transport, 1);
    halo_ = std::make_unique<Halo<float>>(c, pointers, std::span<const Widths>{},
                                          Schedule::all_at_once, threads);
    unsetenv("HFFT_HALO");
  }

  /// Returns the seconds of an exchange on the slowest rank, averaged over `count` exchanges.
  double run(const Communicator &comm, int count) {
    MPI_Barrier(comm.handle());
    const double start = MPI_Wtime();
    for (int n = 0; n < count; ++n)
      halo_->exchange();
    return comm.max(MPI_Wtime() - start) / count;
  }

  const Halo<float> &halo() const { return *halo_; }

  bool same_as(const Contestant &other) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      const Box box = fields_[f]->box();
      const View<float> a = fields_[f]->view(), b = other.fields_[f]->view();
      const auto row = static_cast<std::size_t>(box.extent(2)) * sizeof(float);
      for (Index i = box.lo[0]; i < box.hi[0]; ++i)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
          if (std::memcmp(&a(i, j, box.lo[2]), &b(i, j, box.lo[2]), row) != 0) return false;
    }
    return true;
  }

private:
  std::vector<std::unique_ptr<Array<float>>> fields_;
  std::unique_ptr<Halo<float>> halo_;
};

void compare(std::ptrdiff_t n, int rounds, int axis, int fields) {
  const Communicator world = Communicator::world();
  Index3 extents{{n, n, n}}, parts{{1, 1, 1}};
  extents[axis] *= world.size();
  parts[axis] = world.size();
  Periodic periodic{};
  periodic[static_cast<std::size_t>(axis)] = true;
  const Cartesian c(world, even_cuts(extents, parts), periodic);
  const int threads = omp_get_max_threads();
  Contestant messages(c, fields, threads, "messages"), shared(c, fields, threads, "shared");
  // Enough exchanges for about 20 ms, so the clock and the barrier hardly matter.
  const int count = static_cast<int>(
      std::clamp(0.02 / (messages.run(world, 3) + shared.run(world, 3)), 1.0, 1e4));
  std::vector<double> of_messages, of_shared;
  for (int round = 0; round < rounds; ++round) {
    of_messages.push_back(1e6 * messages.run(world, count));
    of_shared.push_back(1e6 * shared.run(world, count));
  }
  const bool same = world.max(std::int64_t{shared.same_as(messages) ? 0 : 1}) == 0;
  const bench::Summary m = bench::summarize(of_messages), s = bench::summarize(of_shared);
  if (world.rank() == 0)
    std::printf("| %td^3 | %d | %d | %td | %.0f | %.1f | %.1f .. %.1f | %.1f | %.1f .. %.1f | %.2f "
                "| %s |\n",
                n, axis, fields, shared.halo().bytes_sent() / 1024,
                100 * static_cast<double>(shared.halo().bytes_shared()) /
                    static_cast<double>(std::max<Index>(shared.halo().bytes_sent(), 1)),
                m.median, m.lower, m.upper, s.median, s.lower, s.upper, m.median / s.median,
                same ? "same" : "DIFFERENT");
}

void measure(std::ptrdiff_t n, int rounds) {
  if (Communicator::world().rank() == 0)
    std::printf("| block | cut along | fields | KiB sent | shared, %% | messages, us | quartiles | "
                "shared, us | quartiles | messages / shared | ghosts |\n"
                "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const int axis : {0, 2})
    for (const int fields : {1, 4})
      compare(n, rounds, axis, fields);
}

} // namespace

int main(int argc, char **argv) {
  return hybridfft::bench::run_on_cubes(
      argc, argv, "hybridfft-bench-halo",
      "Halo exchanges of a cube on each rank, in shared memory and in messages, in turns.",
      measure);
}
