// Compares two datasets in pieces: each rank compares its part with all its threads, and an
// allreduce combines the results.
#include "support/deviation.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "base/mpi.h"
#include "io/box.h"
#include "support/pieces.h"

namespace hybridfft::tools {

namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 20;
/// Linear index that stands for "no value". It is the largest signed number, because MPICH 4.0
/// compares MPI_UINT64_T as a signed type.
constexpr std::uint64_t nowhere = std::numeric_limits<std::int64_t>::max();

/// Deviations found by a thread, and their combination on a rank.
struct Tally {
  Deviation d;
  std::uint64_t where = nowhere; ///< smallest linear index with the maximum deviation

  void add(double deviation, double magnitude, std::uint64_t index) {
    ++d.values;
    if (!std::isfinite(deviation)) {
      ++d.not_finite;
      return;
    }
    d.largest_magnitude = std::max(d.largest_magnitude, magnitude);
    const double relative = magnitude > 0 ? deviation / magnitude : 0.;
    d.max_relative = std::max(d.max_relative, relative);
    d.sum_absolute += deviation;
    d.sum_relative += relative;
    note(deviation, index);
  }
  void add(const Tally &other) {
    d.values += other.d.values;
    d.not_finite += other.d.not_finite;
    d.largest_magnitude = std::max(d.largest_magnitude, other.d.largest_magnitude);
    d.max_relative = std::max(d.max_relative, other.d.max_relative);
    d.sum_absolute += other.d.sum_absolute;
    d.sum_relative += other.d.sum_relative;
    note(other.d.max_absolute, other.where);
  }

private:
  void note(double deviation, std::uint64_t index) {
    if (deviation > d.max_absolute || (deviation == d.max_absolute && index < where)) {
      d.max_absolute = deviation;
      where = index;
    }
  }
};

/// Returns the modulus. Squares of float values neither overflow nor underflow in double.
double modulus(double re, double im) { return std::sqrt(re * re + im * im); }
double modulus(float x) { return std::abs(static_cast<double>(x)); }
double modulus(double x) { return std::abs(x); }
double modulus(const std::complex<float> &z) { return modulus(double{z.real()}, double{z.imag()}); }
double modulus(const std::complex<double> &z) { return std::abs(z); }

double distance(float a, float b) { return std::abs(double{a} - double{b}); }
double distance(double a, double b) { return std::abs(a - b); }
double distance(const std::complex<float> &a, const std::complex<float> &b) {
  return modulus(double{a.real()} - double{b.real()}, double{a.imag()} - double{b.imag()});
}
double distance(const std::complex<double> &a, const std::complex<double> &b) {
  return std::abs(a - b);
}

/// Returns the linear index in the dataset of element i of a piece.
std::uint64_t global_index(std::size_t i, const io::Hyperslab &piece, const io::Shape &shape) {
  io::Shape index = piece.offset;
  for (std::size_t d = index.size(); d-- > 0; i /= piece.count[d])
    index[d] += i % piece.count[d];
  return io::offset_of(index, shape);
}

template <class T>
void compare(const std::vector<T> &a, const std::vector<T> &b, const io::Hyperslab &piece,
             const io::Shape &shape, Tally &tally) {
#pragma omp parallel
  {
    // Positions are indices within the piece. Only the final one is converted to an index of the
    // dataset.
    Tally mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < a.size(); ++i)
      mine.add(distance(a[i], b[i]), std::max(modulus(a[i]), modulus(b[i])), i);
    if (mine.where != nowhere)
      mine.where = global_index(static_cast<std::size_t>(mine.where), piece, shape);
#pragma omp critical
    tally.add(mine);
  }
}

template <class T>
Tally measure(const DatasetName &a, const DatasetName &b, const io::Shape &shape, MPI_Comm comm) {
  Tally tally;
  std::vector<T> of_a;
  std::vector<T> of_b;
  for_pieces(my_part(shape, comm), piece_bytes / sizeof(T), comm, "comparing",
             [&](const io::Hyperslab &piece) {
               mpi::all_or_none(comm, [&] {
                 of_a.resize(io::volume(piece.count));
                 of_b.resize(io::volume(piece.count));
               });
               a.file.read(a.dataset, piece, of_a.data());
               b.file.read(b.dataset, piece, of_b.data());
               compare(of_a, of_b, piece, shape, tally);
             });
  return tally;
}

template <class T> void reduce(T *values, int n, MPI_Op op, MPI_Datatype type, MPI_Comm comm) {
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, values, n, type, op, comm), "MPI_Allreduce");
}

Deviation over_ranks(const Tally &tally, const io::Shape &shape, MPI_Comm comm) {
  Deviation d = tally.d;
  double extremes[3] = {d.largest_magnitude, d.max_absolute, d.max_relative};
  reduce(extremes, 3, MPI_MAX, MPI_DOUBLE, comm);
  std::uint64_t where = tally.d.max_absolute == extremes[1] ? tally.where : nowhere;
  reduce(&where, 1, MPI_MIN, MPI_UINT64_T, comm);
  d.largest_magnitude = extremes[0];
  d.max_absolute = extremes[1];
  d.max_relative = extremes[2];
  double sums[2] = {d.sum_absolute, d.sum_relative};
  reduce(sums, 2, MPI_SUM, MPI_DOUBLE, comm);
  d.sum_absolute = sums[0];
  d.sum_relative = sums[1];
  std::uint64_t counts[2] = {d.values, d.not_finite};
  reduce(counts, 2, MPI_SUM, MPI_UINT64_T, comm);
  d.values = counts[0];
  d.not_finite = counts[1];
  if (where == nowhere) return d;
  for (std::size_t axis = shape.size(); axis-- > 0; where /= shape[axis])
    d.where = std::to_string(where % shape[axis]) + (d.where.empty() ? "" : ", ") + d.where;
  d.where = "(" + d.where + ")";
  return d;
}

} // namespace

Deviation measure_deviation(const DatasetName &a, const DatasetName &b, const io::DatasetInfo &info,
                            MPI_Comm comm) {
  const bool complex = info.kind == io::NumberKind::complex;
  const std::size_t bytes = std::max(info.bytes, b.file.info(b.dataset).bytes);
  const bool single = bytes <= (complex ? sizeof(std::complex<float>) : sizeof(float));
  const auto measured = [&] {
    if (single)
      return complex ? measure<std::complex<float>>(a, b, info.shape, comm)
                     : measure<float>(a, b, info.shape, comm);
    return complex ? measure<std::complex<double>>(a, b, info.shape, comm)
                   : measure<double>(a, b, info.shape, comm);
  };
  return over_ranks(measured(), info.shape, comm);
}

} // namespace hybridfft::tools
