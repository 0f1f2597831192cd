// Measures c2c transforms of a cube with transposed output, alternately with messages in full and
// in reduced precision. All plans use the effort ESTIMATE. Prints a table with the times of the
// slowest rank, the ratio of medians, and the relative error in the L2 norm.
#include <cmath>
#include <cstdio>
#include <vector>

#include "common/statistics.h"
#include "hybridfft/hybridfft.hpp"
#include "wire/on_cubes.h"

namespace {

using namespace hybridfft;

struct Format {
  Wire wire;
  const char *name;
};

template <class Real> class Contestant {
public:
  Contestant(std::ptrdiff_t n, const Format &format) : name(format.name) {
    const std::vector<std::ptrdiff_t> extents{n, n, n};
    Options options;
    options.effort = Effort::estimate;
    options.transposed_out = true;
    options.wire = format.wire;
    const LocalSizes sizes = local_sizes<Real, Kind::c2c>(extents, options);
    in_ = Buffer<std::complex<Real>>(sizes.allocate_in);
    out_ = Buffer<std::complex<Real>>(sizes.allocate_out);
    plan_ = Plan<Real, Kind::c2c>(extents, in_, out_, options);
    for (std::size_t i = 0; i < in_.size(); ++i) {
      const auto x = static_cast<double>(i);
      in_[i] = {static_cast<Real>(std::sin(x)), static_cast<Real>(std::cos(3 * x * x))};
    }
  }

  void run() {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    plan_.execute();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    times.push_back(1e3 * seconds);
  }

  double error(const Contestant &full) const {
    double sums[2] = {0, 0};
    for (std::ptrdiff_t i = 0; i < plan_.output().size(); ++i) {
      sums[0] += std::norm(std::complex<double>(out_[i]) - std::complex<double>(full.out_[i]));
      sums[1] += std::norm(std::complex<double>(full.out_[i]));
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return std::sqrt(sums[0] / sums[1]);
  }

  std::string describe() const { return plan_.describe(); }

  const char *name;
  std::vector<double> times; ///< milliseconds

private:
  Buffer<std::complex<Real>> in_, out_;
  Plan<Real, Kind::c2c> plan_;
};

template <class Real>
void compare(std::ptrdiff_t n, int rounds, const std::vector<Format> &formats) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<Contestant<Real>> contestants;
  for (const Format &f : formats)
    contestants.emplace_back(n, f);
  for (int round = -1; round < rounds; ++round)
    for (Contestant<Real> &c : contestants) {
      c.run();
      if (round < 0) c.times.clear(); // a warm-up
    }
  for (const Contestant<Real> &c : contestants) {
    const double error = c.error(contestants.front());
    const bench::Summary s = bench::summarize(c.times);
    const double full = bench::summarize(contestants.front().times).median;
    if (rank == 0)
      std::printf("| %s | %s | %.1f | %.1f .. %.1f | %.2f | %.1e |\n",
                  sizeof(Real) == sizeof(float) ? "single" : "double", c.name, s.median, s.lower,
                  s.upper, full / s.median, error);
  }
}

void measure(std::ptrdiff_t n, int rounds) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::printf("| precision | messages | median | quartiles | full / this | error |\n"
                "|---|---|---|---|---|---|\n");
  compare<float>(n, rounds,
                 {{Wire::full, "single"}, {Wire::bfloat16, "bfloat16"}, {Wire::half, "half"}});
  compare<double>(n, rounds, {{Wire::full, "double"}, {Wire::single, "single"}});
}

} // namespace

int main(int argc, char **argv) {
  return hybridfft::bench::run_on_cubes(
      argc, argv, "hybridfft-bench-wire",
      "Transforms with messages in full and in reduced precision, in turns.", measure);
}
