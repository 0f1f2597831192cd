#include "fftw3_mpi/rival.h"

#include <fftw3-mpi.h>

#include <algorithm>
#include <array>

#include "base/mpi.h"

namespace hybridfft::fftw3_mpi {

namespace {

bool has_large_prime(std::ptrdiff_t n) {
  for (const std::ptrdiff_t p : {2, 3, 5, 7, 11, 13})
    while (n % p == 0)
      n /= p;
  return n > 1;
}

} // namespace

bool is_open(const plan::Arguments &a) { return std::any_of(a.n, a.n + a.rank, has_large_prime); }

bool is_rather_fftws(const plan::Arguments &a, std::size_t real_bytes, MPI_Comm comm) {
  const bool in = (a.flags & FFTW_MPI_TRANSPOSED_IN) != 0;
  const bool out = (a.flags & FFTW_MPI_TRANSPOSED_OUT) != 0;
  // One exchange, and FFTW's kernels on all axes.
  return (real_bytes == sizeof(float) || a.kind == plan::Kind::c2c) && in != out &&
         mpi::size(comm) > 1 && std::all_of(a.n, a.n + a.rank, has_large_prime);
}

double seconds_of(MPI_Comm comm, const std::function<void()> &execution) {
  constexpr int most = 20;
  constexpr double enough = 0.02;
  double least = 0;
  double spent = 0;
  for (int i = 0; i <= most && (i < 3 || spent < enough); ++i) {
    mpi::check(MPI_Barrier(comm), "MPI_Barrier");
    double seconds = -MPI_Wtime();
    execution();
    seconds += MPI_Wtime();
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm),
               "MPI_Allreduce");
    // The first one warms up.
    if (i == 1 || (i > 1 && seconds < least)) least = seconds;
    spent += seconds;
  }
  return least;
}

} // namespace hybridfft::fftw3_mpi
