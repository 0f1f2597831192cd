// Tests the transpositions of Dedalus 3 in its example of convection in a shell
// (dedalus/core/transposes.pyx, class FFTWTranspose). They redistribute a grid from columns to rows
// and back, in transposed order of memory. Block sizes are multiples of a number of modes
// ("chunk"). Each element consists of the components of all fields at all points of the
// undistributed axes. The test compares every number with its index.
//
// dropin_dedalus [SCALE SECONDS]: with arguments, the grid is SCALE times as large in each axis.
// Rank 0 prints the time of a forward and backward transposition, the fastest within SECONDS.
#include <fftw3-mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

using Size = std::ptrdiff_t;

int failures = 0;

/// A transposition of axes n1 and n2. Each element has n0 components and n3 points of later axes.
struct Transposition {
  Size n0, n1, n2, n3;
  Size chunk1, chunk2;
};

/// Returns the block size: a multiple of `chunk`, so that `ranks` blocks cover n points.
Size block_of(Size n, Size chunk, int ranks) {
  const Size chunks = (n + chunk - 1) / chunk;
  return chunk * ((chunks + ranks - 1) / ranks);
}

/// The forward and backward plan of a transposition, with their buffers.
class Plans {
public:
  Plans(const Transposition &t, bool in_place, unsigned flags, MPI_Comm comm)
      : n1_(t.n1), n2_(t.n2), many_(t.n0 * t.n3) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    const Size b1 = block_of(n1_, t.chunk1, ranks), b2 = block_of(n2_, t.chunk2, ranks);
    const Size shape[2] = {n1_, n2_};
    Size doubles = fftw_mpi_local_size_many_transposed(2, shape, many_, b1, b2, comm, &rows_, &row_,
                                                       &columns_, &column_);
    if (b2 >= n2_) { // FFTW's local sizes count the columns on all ranks, but FFTW's plans keep all
                     // columns on rank 0
      int rank = 0;
      MPI_Comm_rank(comm, &rank);
      columns_ = rank == 0 ? n2_ : 0;
    }
    doubles = std::max(doubles, many_ * std::max(rows_ * n2_, n1_ * columns_));
    by_columns_.resize(static_cast<std::size_t>(doubles));
    by_rows_.resize(in_place ? 0 : by_columns_.size());
    double *rows = in_place ? by_columns_.data() : by_rows_.data();
    to_rows_ = fftw_mpi_plan_many_transpose(n2_, n1_, many_, b2, b1, by_columns_.data(), rows, comm,
                                            flags | FFTW_MPI_TRANSPOSED_IN);
    to_columns_ = fftw_mpi_plan_many_transpose(n1_, n2_, many_, b1, b2, rows, by_columns_.data(),
                                               comm, flags | FFTW_MPI_TRANSPOSED_OUT);
  }
  ~Plans() {
    fftw_destroy_plan(to_rows_);
    fftw_destroy_plan(to_columns_);
  }
  Plans(const Plans &) = delete;
  Plans &operator=(const Plans &) = delete;

  /// Checks every number after the forward and after the backward transposition.
  void check() {
    if (to_rows_ == nullptr || to_columns_ == nullptr) {
      ++failures;
      return;
    }
    fill();
    fftw_execute(to_rows_);
    const std::vector<double> &rows = by_rows_.empty() ? by_columns_ : by_rows_;
    expect(rows, rows_, row_, n2_, 0);
    if (!by_rows_.empty()) std::fill(by_columns_.begin(), by_columns_.end(), -1.0);
    fftw_execute(to_columns_);
    expect(by_columns_, n1_, 0, columns_, column_);
  }

  /// Returns the time of a forward and backward transposition in seconds: the slowest rank's, the
  /// minimum of all repetitions.
  double time(double budget) {
    double best = std::numeric_limits<double>::max();
    for (double spent = 0; spent < budget;) {
      MPI_Barrier(MPI_COMM_WORLD);
      double seconds = -MPI_Wtime();
      fftw_execute(to_rows_);
      fftw_execute(to_columns_);
      seconds += MPI_Wtime();
      MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      best = std::min(best, seconds);
      spent += seconds;
    }
    return best;
  }

private:
  double value(Size i1, Size i2, Size k) const {
    return static_cast<double>((i1 * n2_ + i2) * many_ + k);
  }

  void fill() {
    std::size_t place = 0;
    for (Size i1 = 0; i1 < n1_; ++i1)
      for (Size i2 = 0; i2 < columns_; ++i2)
        for (Size k = 0; k < many_; ++k)
          by_columns_[place++] = value(i1, column_ + i2, k);
  }

  /// Checks count1 x count2 elements, beginning at (first1, first2).
  void expect(const std::vector<double> &found, Size count1, Size first1, Size count2,
              Size first2) const {
    std::size_t place = 0;
    for (Size i1 = 0; i1 < count1; ++i1)
      for (Size i2 = 0; i2 < count2; ++i2)
        for (Size k = 0; k < many_; ++k)
          failures += found[place++] != value(first1 + i1, first2 + i2, k) ? 1 : 0;
  }

  Size n1_, n2_, many_;
  Size rows_ = 0, row_ = 0, columns_ = 0, column_ = 0;
  std::vector<double> by_columns_, by_rows_;
  fftw_plan to_rows_ = nullptr, to_columns_ = nullptr;
};

/// Transpositions along the first and the second axis of a grid of phi, theta and r. Some grids are
/// dealiased by 3/2. An element has one scalar, one vector, or all fields of an equation.
std::vector<Transposition> transpositions(Size scale) {
  const Size phi = 24 * scale, theta = 12 * scale, r = 6 * scale;
  return {{1, phi, theta, r, 2, 1},         {3, phi, 3 * theta / 2, 3 * r / 2, 2, 1},
          {8, phi, theta, r, 2, 1},         {1, 3 * phi / 2, theta, r, 1, 1},
          {3 * phi / 4, theta, r, 1, 1, 1}, {9 * phi / 4, 3 * theta / 2, r, 1, 1, 1}};
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm mesh; // the ranks with the parity of this rank
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &mesh);
  if (argc == 3) {
    for (const Transposition &t : transpositions(std::atol(argv[1]))) {
      Plans plans(t, false, FFTW_MEASURE, MPI_COMM_WORLD);
      const double seconds = plans.time(std::atof(argv[2]));
      if (rank == 0)
        std::printf("%td x %td x %td x %td: %.3g ms\n", t.n0, t.n1, t.n2, t.n3, 1e3 * seconds);
    }
  } else {
    std::vector<Transposition> all = transpositions(1);
    // In each of these two, one axis is a single chunk of 16, larger than the axis. When this axis
    // is divided, one rank has all of its points.
    all.insert(all.end(), {{2, 10, 12, 3, 16, 1}, {2, 12, 10, 3, 1, 16}});
    for (const Transposition &t : all)
      for (const bool in_place : {false, true})
        for (MPI_Comm comm : {MPI_COMM_WORLD, mesh})
          Plans(t, in_place, FFTW_MEASURE, comm).check();
  }
  MPI_Comm_free(&mesh);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && failures > 0) std::fprintf(stderr, "%d wrong values\n", failures);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
