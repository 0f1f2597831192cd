// Solves laplace(u) = f in the periodic box [0, 2 pi)^3. The right side f is the Laplacian of a
// known function, exp(cos x + cos y + cos z). f does not depend on the mean of this function, so
// the solution is the function without its mean.
#include <hybridfft/hybridfft.h>
#include <math.h>

// In memory a row of n2 real numbers has `padded` numbers.
enum { n0 = 48, n1 = 40, n2 = 36, half = n2 / 2 + 1, padded = 2 * half };

static double place(ptrdiff_t i, int n) { return 2 * acos(-1) * (double)i / n; }
static double wave_number(ptrdiff_t i, int n) { return (double)(i <= n / 2 ? i : i - n); }
static double known(double x, double y, double z) { return exp(cos(x) + cos(y) + cos(z)); }
// The second derivative of exp(cos x), divided by exp(cos x).
static double second(double x) { return sin(x) * sin(x) - cos(x); }

int main(int argc, char **argv) {
  ptrdiff_t planes, plane;   // number of this rank's planes along n0, and the first one
  ptrdiff_t columns, column; // likewise along n1: the spectrum is stored as n1 x n0 x half
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const ptrdiff_t size = hfft_local_size_3d_transposed(n0, n1, half, MPI_COMM_WORLD, &planes,
                                                       &plane, &columns, &column);
  double *u = hfft_alloc_real(2 * (size_t)size);
  hfft_complex *s = hfft_alloc_complex((size_t)size);
  hfft_plan forward =
      hfft_plan_dft_r2c_3d(n0, n1, n2, u, s, MPI_COMM_WORLD, HFFT_ESTIMATE | HFFT_TRANSPOSED_OUT);
  hfft_plan backward =
      hfft_plan_dft_c2r_3d(n0, n1, n2, s, u, MPI_COMM_WORLD, HFFT_ESTIMATE | HFFT_TRANSPOSED_IN);

  for (ptrdiff_t i = 0; i < planes; ++i)
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k) {
        const double x = place(plane + i, n0), y = place(j, n1), z = place(k, n2);
        u[(i * n1 + j) * padded + k] = known(x, y, z) * (second(x) + second(y) + second(z));
      }
  int error = hfft_execute(forward);
  for (ptrdiff_t j = 0; j < columns; ++j)
    for (ptrdiff_t i = 0; i < n0; ++i)
      for (ptrdiff_t k = 0; k < half; ++k) {
        const double square =
            pow(wave_number(i, n0), 2) + pow(wave_number(column + j, n1), 2) + pow((double)k, 2);
        const double factor = square > 0 ? -1 / (square * (n0 * n1 * n2)) : 0; // the mean becomes 0
        s[(j * n0 + i) * half + k][0] *= factor;
        s[(j * n0 + i) * half + k][1] *= factor;
      }
  if (!error) error = hfft_execute(backward);

  const double mean = pow(1.2660658777520084, 3); // of exp(cos x): the Bessel function I_0(1)
  double worst = 0;
  for (ptrdiff_t i = 0; i < planes; ++i)
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k)
        worst = fmax(worst, fabs(u[(i * n1 + j) * padded + k] + mean -
                                 known(place(plane + i, n0), place(j, n1), place(k, n2))));
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
