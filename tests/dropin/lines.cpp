// Convolutions of distributed lines through FFTW's scrambled order. The forward plan ends in this
// order, the spectra are multiplied, and the backward plan begins in it. The program never uses the
// order itself. The truth is the definition of the convolution.
#include <fftw3-mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

namespace {

using Complex = std::complex<double>;
int failures = 0;
int rank = 0;
int ranks = 1;

/// Distribution of a line before and after a plan: number of points, first point, numbers to
/// allocate.
struct Sizes {
  std::ptrdiff_t count_in = 0, start_in = 0, count_out = 0, start_out = 0, room = 0;
};

Sizes sizes_of(std::ptrdiff_t n, std::ptrdiff_t howmany, int sign, unsigned flags) {
  Sizes s;
  s.room = fftw_mpi_local_size_many_1d(n, howmany, MPI_COMM_WORLD, sign, flags, &s.count_in,
                                       &s.start_in, &s.count_out, &s.start_out);
  return s;
}

fftw_complex *raw(std::vector<Complex> &v) { return reinterpret_cast<fftw_complex *>(v.data()); }

/// Returns the signal at point i of a field.
Complex signal(std::ptrdiff_t i, std::ptrdiff_t field) {
  const double x = static_cast<double>(i * 7 % 31 + 3 * field);
  return {x, 16 - x};
}
double kernel(std::ptrdiff_t i) { return i == 0 ? 2 : i == 1 ? -1 : i == 5 ? 0.5 : 0; }

/// Returns the convolution at a point by its definition.
Complex convolution(std::ptrdiff_t n, std::ptrdiff_t i, std::ptrdiff_t field) {
  Complex sum = 0;
  for (const std::ptrdiff_t distance : {0, 1, 5})
    sum += kernel(distance) * signal(((i - distance) % n + n) % n, field);
  return sum;
}

/// Forward and backward plan for lines of one length.
class Convolution {
public:
  Convolution(std::ptrdiff_t n, std::ptrdiff_t howmany, bool in_place)
      : n_(n), howmany_(howmany), there_(sizes_of(n, howmany, FFTW_FORWARD, forward_flags)),
        back_(sizes_of(n, howmany, FFTW_BACKWARD, backward_flags)), a_(room()), b_(room()),
        kernel_(room()) {
    std::vector<Complex> &out = in_place ? a_ : b_;
    forward_ = fftw_mpi_plan_many_dft(1, &n, howmany, 0, 0, raw(a_), raw(out), MPI_COMM_WORLD,
                                      FFTW_FORWARD, forward_flags);
    backward_ = fftw_mpi_plan_many_dft(1, &n, howmany, 0, 0, raw(out), raw(a_), MPI_COMM_WORLD,
                                       FFTW_BACKWARD, backward_flags);
    in_place_ = in_place;
  }
  ~Convolution() {
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
  }
  Convolution(const Convolution &) = delete;
  Convolution &operator=(const Convolution &) = delete;

  bool planned() const { return forward_ != nullptr && backward_ != nullptr; }

  /// Returns true if the forward plan's output has the distribution of the backward plan's input.
  bool fits() const {
    return there_.count_out == back_.count_in && there_.start_out == back_.start_in &&
           there_.count_in == back_.count_out && there_.start_in == back_.start_out;
  }

  /// Returns the largest error of the convolution on this rank.
  double error() {
    std::vector<Complex> &spectrum = in_place_ ? a_ : b_;
    fill([](std::ptrdiff_t i, std::ptrdiff_t) { return Complex(kernel(i)); });
    fftw_execute(forward_);
    kernel_ = spectrum;
    fill(signal);
    fftw_execute(forward_);
    for (std::ptrdiff_t i = 0; i < there_.count_out * howmany_; ++i)
      spectrum[index(i)] *= kernel_[index(i)] / static_cast<double>(n_);
    fftw_execute(backward_);
    double off = 0;
    for (std::ptrdiff_t i = 0; i < back_.count_out * howmany_; ++i)
      off = std::max(off, std::abs(a_[index(i)] -
                                   convolution(n_, back_.start_out + i / howmany_, i % howmany_)));
    return off;
  }

private:
  static constexpr unsigned forward_flags = FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_OUT;
  static constexpr unsigned backward_flags = FFTW_ESTIMATE | FFTW_MPI_SCRAMBLED_IN;

  static std::size_t index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  std::size_t room() const { return index(std::max(there_.room, back_.room)); }
  template <class F> void fill(const F &value) {
    for (std::ptrdiff_t i = 0; i < there_.count_in * howmany_; ++i)
      a_[index(i)] = value(there_.start_in + i / howmany_, i % howmany_);
  }

  std::ptrdiff_t n_, howmany_;
  Sizes there_, back_;
  std::vector<Complex> a_, b_, kernel_;
  fftw_plan forward_ = nullptr, backward_ = nullptr;
  bool in_place_ = false;
};

void expect(bool ok, const char *what, std::ptrdiff_t n, double found = 0) {
  if (ok) return;
  std::printf("rank %d of %d, %td points: %s (%.3g)\n", rank, ranks, n, what, found);
  ++failures;
}

/// Checks one length. FFTW has no scrambled plan on one rank.
void convolve(std::ptrdiff_t n, std::ptrdiff_t howmany, bool in_place) {
  Convolution line(n, howmany, in_place);
  expect(line.planned() == (ranks > 1), "plans where expected none, or none", n);
  if (!line.planned()) return;
  expect(line.fits(), "distributions of the spectrum differ", n);
  // Rounding error of numbers up to 100 in log2(n) stages.
  const double allowed = 4e-14 * std::log2(static_cast<double>(n));
  const double found = line.error();
  expect(found <= allowed, "wrong convolution", n, found);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const std::ptrdiff_t n : {6, 15, 24, 60, 91, 128, 840, 1001, 4096, 5040})
    for (const bool in_place : {false, true})
      for (const std::ptrdiff_t howmany : {1, 3})
        convolve(n, howmany, in_place);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
