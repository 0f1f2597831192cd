/// Compares the drop-in with FFTW-MPI by random calls, one for each seed.
///
/// conformance write FILE SEED COUNT makes the calls and writes the results to FILE.RANK.
/// conformance compare FILE SEED COUNT repeats the calls and compares local sizes, missing plans,
/// results, and arrays that must not change.
///
/// FFTW-MPI computes flat transforms (with an extent of 1) wrongly, so serial FFTW gives their
/// results. The comparison also fails if the drop-in computes less than a third of the cases. The
/// exit status is 1 after any difference.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "trial.h"

namespace {

using conformance::Case;
using conformance::Outcome;

constexpr std::ptrdiff_t max_points = 4000;
int rank = 0;
int ranks = 1;

Outcome run(const Case &c) {
  return c.single ? conformance::Trial<float>(c).run() : conformance::Trial<double>(c).run();
}

/// Returns the reference: FFTW-MPI's result, or serial FFTW's for flat transforms.
template <class Real> Outcome expected(const Case &c) {
  if (!c.flat()) return conformance::Trial<Real>(c).run();
  const conformance::Trial<Real> here(c);
  Outcome o = here.sizes();
  o.planned = c.possible();
  if (o.planned) o.values = here.part_of(conformance::Trial<Real>(c, MPI_COMM_SELF).truth());
  return o;
}

template <class T> void put(std::ofstream &file, const std::vector<T> &values) {
  const std::size_t n = values.size();
  file.write(reinterpret_cast<const char *>(&n), sizeof n);
  file.write(reinterpret_cast<const char *>(values.data()),
             static_cast<std::streamsize>(n * sizeof(T)));
}

template <class T> std::vector<T> get(std::ifstream &file) {
  std::size_t n = 0;
  file.read(reinterpret_cast<char *>(&n), sizeof n);
  std::vector<T> values(file ? n : 0);
  file.read(reinterpret_cast<char *>(values.data()), static_cast<std::streamsize>(n * sizeof(T)));
  return values;
}

Outcome expected(const Case &c) { return c.single ? expected<float>(c) : expected<double>(c); }

void write(std::ofstream &file, const Outcome &o) {
  put(file, o.ranges);
  put(file, std::vector<std::ptrdiff_t>{o.size, o.planned ? 1 : 0});
  put(file, o.values);
}

Outcome read(std::ifstream &file) {
  Outcome o;
  o.ranges = get<std::ptrdiff_t>(file);
  const auto numbers = get<std::ptrdiff_t>(file);
  if (numbers.size() == 2) {
    o.size = numbers[0];
    o.planned = numbers[1] != 0;
  }
  o.values = get<double>(file);
  return o;
}

/// Returns |a - b|_2 / |b|_2 over all ranks. Collective.
double deviation(const std::vector<double> &a, const std::vector<double> &b) {
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    sums[0] += (a[i] - b[i]) * (a[i] - b[i]);
    sums[1] += b[i] * b[i];
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sums[1] > 0 ? std::sqrt(sums[0] / sums[1]) : std::sqrt(sums[0]);
}

/// Bound of |a - b|_2 / |b|_2, where both sides have rounding errors. The Cooley-Tukey algorithm
/// has a relative error below 3.4 eps log2(N) (Higham, Accuracy and Stability of Numerical
/// Algorithms, theorem 24.2). Large primes need convolutions, with three times this error. An r2r
/// transform of n points counts as a DFT of 4n points. Transpositions are exact.
double tolerance(const Case &c) {
  if (c.kind == conformance::Kind::transpose) return 0;
  double points = 2;
  for (const std::ptrdiff_t n : c.n)
    points *= 4 * static_cast<double>(n);
  const double eps = c.single ? 0x1p-23 : 0x1p-52;
  return 2 * 12 * eps * std::log2(points);
}

/// True on every rank if true on all ranks. Collective.
bool everywhere(bool ok) {
  int all = ok ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

/// Returns true if ok is true on all ranks; else rank 0 prints the case. Collective.
bool expect(bool ok, const Case &c, const char *what) {
  const bool all = everywhere(ok);
  if (!all && rank == 0) std::printf("%d ranks, %s: %s\n", ranks, c.describe().c_str(), what);
  return all;
}

bool same(const Case &c, const Outcome &here, const Outcome &there) {
  bool ok = expect(here.ranges == there.ranges, c, "other local sizes");
  ok = expect(here.size >= there.size, c, "a smaller size to allocate") && ok;
  ok = expect(here.planned == there.planned, c,
              there.planned ? "no plan where there was one" : "a plan where there was none") &&
       ok;
  ok = expect(here.values.size() == there.values.size(), c, "another number of results") && ok;
  ok = expect(!here.accelerated || here.overrun == 0, c, "wrote behind an array") && ok;
  ok = expect(!here.accelerated || here.spoiled == 0, c, "wrote to its input") && ok;
  const double off = deviation(here.values, there.values);
  if (off <= tolerance(c)) return ok;
  if (rank == 0)
    std::printf("%d ranks, %s: results are off by %.3g, expected at most %.3g\n", ranks,
                c.describe().c_str(), off, tolerance(c));
  return false;
}

int compare(const std::string &file, std::uint64_t seed, std::uint64_t count) {
  std::ifstream from(file, std::ios::binary);
  int failures = 0;
  std::uint64_t planned = 0;
  std::uint64_t accelerated = 0;
  for (std::uint64_t i = seed; i < seed + count; ++i) {
    const Case c = conformance::random_case(i, ranks, max_points);
    const Outcome here = run(c);
    failures += same(c, here, read(from)) ? 0 : 1;
    planned += here.planned ? 1 : 0;
    accelerated += here.accelerated ? 1 : 0;
  }
  const bool complete = everywhere(from.good() && from.peek() == EOF);
  if (rank == 0)
    std::printf("%d ranks: %llu cases, %llu plans, %llu accelerated, %d differ%s\n", ranks,
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(planned),
                static_cast<unsigned long long>(accelerated), failures,
                complete ? "" : "; the files are of another run");
  return failures == 0 && complete && 3 * accelerated >= planned ? 0 : 1;
}

int write_all(const std::string &file, std::uint64_t seed, std::uint64_t count) {
  std::ofstream to(file, std::ios::binary);
  for (std::uint64_t i = seed; i < seed + count; ++i)
    write(to, expected(conformance::random_case(i, ranks, max_points)));
  to.close();
  return everywhere(to.good()) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  fftw_mpi_init();
  fftwf_mpi_init();
  const std::string mode = argc == 5 ? argv[1] : "";
  if (mode != "write" && mode != "compare") {
    if (rank == 0) std::fprintf(stderr, "expected: conformance write|compare FILE SEED COUNT\n");
    MPI_Finalize();
    return 2;
  }
  const std::string file = std::string(argv[2]) + "." + std::to_string(rank);
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  const std::uint64_t count = std::strtoull(argv[4], nullptr, 10);
  const int status = mode == "write" ? write_all(file, seed, count) : compare(file, seed, count);
  MPI_Finalize();
  return status;
}
