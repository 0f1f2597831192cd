// Ranks with different environments and time limits. By themselves they would select different
// libraries. The drop-in must make them agree, so that nothing hangs. Every coefficient of an
// impulse must be one.
#include <fftw3-mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

/// Sets this rank's environment before any library reads it.
const bool unlike = [] {
  const char *text = std::getenv("OMPI_COMM_WORLD_RANK");
  if (text == nullptr) text = std::getenv("PMI_RANK");
  const int rank = text != nullptr ? std::atoi(text) : 0;
  setenv("HFFT_DROPIN_PREFER", rank == 1 ? "ours" : "faster", 1);
  setenv("HFFT_EXCHANGE", rank == 0 ? "pairwise" : rank == 1 ? "alltoallv" : "", 1);
  if (rank == 2) setenv("HFFT_SIMD", "scalar", 1);
  return text != nullptr;
}();

int failures = 0;

void expect_impulse(ptrdiff_t n, unsigned flags) {
  ptrdiff_t planes = 0;
  ptrdiff_t start = 0;
  const ptrdiff_t size = fftw_mpi_local_size_3d(n, n, n, MPI_COMM_WORLD, &planes, &start);
  fftw_complex *a = fftw_alloc_complex(static_cast<size_t>(size));
  const fftw_plan plan = fftw_mpi_plan_dft_3d(n, n, n, a, a, MPI_COMM_WORLD, FFTW_FORWARD, flags);
  for (ptrdiff_t i = 0; i < planes * n * n; ++i) {
    a[i][0] = start == 0 && i == 0 ? 1 : 0;
    a[i][1] = 0;
  }
  fftw_execute(plan);
  for (ptrdiff_t i = 0; i < planes * n * n; ++i)
    if (std::abs(a[i][0] - 1) + std::abs(a[i][1]) > 1e-14) ++failures;
  fftw_destroy_plan(plan);
  fftw_free(a);
}

void expect_transposed(ptrdiff_t n0, ptrdiff_t n1, unsigned flags) {
  ptrdiff_t rows = 0, row = 0, columns = 0, column = 0;
  const ptrdiff_t size =
      fftw_mpi_local_size_2d_transposed(n0, n1, MPI_COMM_WORLD, &rows, &row, &columns, &column);
  double *in = fftw_alloc_real(static_cast<size_t>(2 * size));
  double *out = fftw_alloc_real(static_cast<size_t>(2 * size));
  const fftw_plan plan = fftw_mpi_plan_transpose(n0, n1, in, out, MPI_COMM_WORLD, flags);
  for (ptrdiff_t i = 0; i < rows * n1; ++i)
    in[i] = static_cast<double>(row * n1 + i);
  fftw_execute(plan);
  for (ptrdiff_t j = 0; j < columns; ++j)
    for (ptrdiff_t i = 0; i < n0; ++i)
      if (out[j * n0 + i] != static_cast<double>(i * n1 + column + j)) ++failures;
  fftw_destroy_plan(plan);
  fftw_free(in);
  fftw_free(out);
}

} // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const bool limited : {false, true}) {
    // A limit of 1000 s never ends a measurement here, but only rank 0 has it.
    if (limited && rank == 0) fftw_set_timelimit(1000);
    for (const unsigned flags : {FFTW_ESTIMATE, FFTW_MEASURE}) {
      expect_impulse(12, flags);
      expect_impulse(20, flags);
      expect_transposed(24, 30, flags);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && failures > 0) std::fprintf(stderr, "%d wrong values\n", failures);
  MPI_Finalize();
  return failures == 0 && unlike ? 0 : 1;
}
