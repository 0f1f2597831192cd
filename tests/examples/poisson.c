// Solves laplace(u) = f in the periodic box [0, 2 pi)^3, where f belongs to a u that is known:
// u = exp(cos x + cos y + cos z), but for its mean, which f does not tell.
#include <hybridfft/hybridfft.h>
#include <math.h>

#define N0 48
#define N1 40
#define N2 36

static double wave_number(ptrdiff_t i, ptrdiff_t n) { return (double)(i <= n / 2 ? i : i - n); }

int main(int argc, char **argv) {
  const ptrdiff_t half = N2 / 2 + 1, padded = 2 * half; // of the spectrum, of a row of real numbers
  ptrdiff_t planes, first_plane;                        // of the field, along n0
  ptrdiff_t columns, first_column;                      // of the spectrum, stored n1 x n0 x half
  const double step0 = 2 * acos(-1) / N0, step1 = 2 * acos(-1) / N1, step2 = 2 * acos(-1) / N2;
  int level, rank, error = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const ptrdiff_t size = hfft_local_size_3d_transposed(N0, N1, half, MPI_COMM_WORLD, &planes,
                                                       &first_plane, &columns, &first_column);
  double *u = hfft_alloc_real(2 * (size_t)size);
  hfft_complex *s = hfft_alloc_complex((size_t)size);
  hfft_plan forward =
      hfft_plan_dft_r2c_3d(N0, N1, N2, u, s, MPI_COMM_WORLD, HFFT_ESTIMATE | HFFT_TRANSPOSED_OUT);
  hfft_plan backward =
      hfft_plan_dft_c2r_3d(N0, N1, N2, s, u, MPI_COMM_WORLD, HFFT_ESTIMATE | HFFT_TRANSPOSED_IN);

  for (ptrdiff_t i = 0; i < planes; ++i)
    for (ptrdiff_t j = 0; j < N1; ++j)
      for (ptrdiff_t k = 0; k < N2; ++k) {
        const double x = step0 * (double)(first_plane + i), y = step1 * (double)j,
                     z = step2 * (double)k;
        u[(i * N1 + j) * padded + k] =
            exp(cos(x) + cos(y) + cos(z)) *
            (sin(x) * sin(x) - cos(x) + sin(y) * sin(y) - cos(y) + sin(z) * sin(z) - cos(z));
      }
  error |= hfft_execute(forward);
  for (ptrdiff_t j = 0; j < columns; ++j)
    for (ptrdiff_t i = 0; i < N0; ++i)
      for (ptrdiff_t k = 0; k < half; ++k) {
        const double k0 = wave_number(i, N0), k1 = wave_number(first_column + j, N1);
        const double square = k0 * k0 + k1 * k1 + (double)(k * k);
        const double factor = square > 0 ? -1 / (square * N0 * N1 * N2) : 0; // the mean becomes 0
        for (int part = 0; part < 2; ++part)
          s[(j * N0 + i) * half + k][part] *= factor;
      }
  error |= hfft_execute(backward);

  const double mean = pow(1.2660658777520084, 3); // I_0(1), the mean of exp(cos x)
  double worst = 0;
  for (ptrdiff_t i = 0; i < planes; ++i)
    for (ptrdiff_t j = 0; j < N1; ++j)
      for (ptrdiff_t k = 0; k < N2; ++k) {
        const double truth = exp(cos(step0 * (double)(first_plane + i)) + cos(step1 * (double)j) +
                                 cos(step2 * (double)k));
        worst = fmax(worst, fabs(u[(i * N1 + j) * padded + k] - (truth - mean)));
      }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (error) fprintf(stderr, "%s\n", hfft_last_error_message());
  if (rank == 0) printf("largest error: %.1e\n", worst);
  hfft_destroy_plan(forward);
  hfft_destroy_plan(backward);
  hfft_free(u);
  hfft_free(s);
  MPI_Finalize();
  return error || !(worst < 1e-12);
}
