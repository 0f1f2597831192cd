// A program for FFTW-MPI, in both precisions. The command of docs/porting.md makes it one for
// HybridFFT.
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>

enum { n0 = 12, n1 = 10, n2 = 7 };

static double wave(ptrdiff_t i, int waves, int n) {
  return cos(2 * acos(-1) * waves * (double)i / n);
}

// Transforms three complex waves along n0 in place: the coefficient (3, 0, 0) is 420, half of the
// number of points.
static void transform_complex(void) {
  ptrdiff_t planes, start;
  ptrdiff_t size = fftw_mpi_local_size_3d(n0, n1, n2, MPI_COMM_WORLD, &planes, &start);
  fftw_complex *a = fftw_alloc_complex((size_t)size);
  fftw_plan plan =
      fftw_mpi_plan_dft_3d(n0, n1, n2, a, a, MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE);
  for (ptrdiff_t i = 0; i < planes * n1 * n2; ++i) {
    a[i][0] = wave(start + i / (n1 * n2), 3, n0);
    a[i][1] = 0;
  }
  fftw_execute(plan);
  if (start <= 3 && 3 < start + planes) printf("(3, 0, 0): %.1f\n", a[(3 - start) * n1 * n2][0]);
  fftw_destroy_plan(plan);
  fftw_free(a);
}

// Transforms a real cosine of two periods along n1 to a transposed spectrum: the coefficient
// (0, 2, 0) is 420, half of the number of points.
static void transform_real(void) {
  const ptrdiff_t half = n2 / 2 + 1;
  ptrdiff_t planes, start, rows, first;
  ptrdiff_t size = fftwf_mpi_local_size_3d_transposed(n0, n1, half, MPI_COMM_WORLD, &planes, &start,
                                                      &rows, &first);
  float *in = fftwf_alloc_real(2 * (size_t)size);
  fftwf_complex *out = fftwf_alloc_complex((size_t)size);
  fftwf_plan plan = fftwf_mpi_plan_dft_r2c_3d(n0, n1, n2, in, out, MPI_COMM_WORLD,
                                              FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
  for (ptrdiff_t i = 0; i < planes * n1; ++i)
    for (ptrdiff_t k = 0; k < n2; ++k)
      in[i * 2 * half + k] = (float)wave(i % n1, 2, n1);
  fftwf_execute(plan);
  if (first <= 2 && 2 < first + rows) printf("(0, 2, 0): %.1f\n", out[(2 - first) * n0 * half][0]);
  fftwf_destroy_plan(plan);
  fftwf_free(in);
  fftwf_free(out);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  fftwf_mpi_init();
  transform_complex();
  transform_real();
  fftw_mpi_cleanup();
  fftwf_mpi_cleanup();
  return MPI_Finalize();
}
