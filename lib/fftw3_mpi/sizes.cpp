#include "fftw3_mpi/sizes.h"

#include <algorithm>

#include "base/error.h"
#include "base/mpi.h"
#include "hybridfft/layout.hpp"
#include "plan/slab_problem.h"

namespace hybridfft::fftw3_mpi {

std::ptrdiff_t own_size(int rank, const std::ptrdiff_t *n, std::ptrdiff_t howmany,
                        std::ptrdiff_t block0, std::ptrdiff_t block1, MPI_Comm comm) noexcept {
  std::ptrdiff_t size = 0;
  const auto compute = [&] {
    if (!mpi::running()) return;
    const int me = mpi::rank(comm);
    const int ranks = mpi::size(comm);
    plan::check_extents(rank, n, howmany, block0, block1, ranks, sizeof(double));
    const std::ptrdiff_t rows = BlockDistribution(n[0], ranks, block0).count(me);
    const std::ptrdiff_t columns = BlockDistribution(n[1], ranks, block1).count(me);
    size = std::max(rows * n[1], columns * n[0]) * howmany;
    for (int i = 2; i < rank; ++i)
      size *= n[i];
  };
  // FFTW has the word on arguments that are no good.
  run_reporting(compute, [](hfft_error, const char *) {});
  return size;
}

} // namespace hybridfft::fftw3_mpi
