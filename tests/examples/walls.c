// Solves laplace(u) = f between two walls, z = 0 and z = 1, with du/dz = 0 at the walls; x and y
// are periodic. Here f is the Laplacian of a known solution, u = exp(cos x + cos y) cos(pi z).
#include <hybridfft/hybridfft.h>
#include <math.h>

enum { n0 = 40, n1 = 36, n2 = 32, half = n1 / 2 + 1 };

static const double pi = 3.14159265358979323846;
static double place(ptrdiff_t i, int n) { return 2 * pi * (double)i / n; }
static double height(ptrdiff_t k) { return ((double)k + 0.5) / (double)n2; } // between the walls
static double known(double x, double y, double z) { return exp(cos(x) + cos(y)) * cos(pi * z); }
// The second derivative of exp(cos x), divided by exp(cos x).
static double second(double x) { return sin(x) * sin(x) - cos(x); }

int main(int argc, char **argv) {
  const ptrdiff_t n[] = {n0, n1, n2}, halved[] = {n0, half, n2};
  const int forward_kinds[] = {HFFT_DFT, HFFT_DFT, HFFT_REDFT10};  // the last HFFT_DFT is halved
  const int backward_kinds[] = {HFFT_DFT, HFFT_DFT, HFFT_REDFT01}; // the inverse of HFFT_REDFT10
  ptrdiff_t planes, plane; // number of this rank's planes along n0, and the first one
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const ptrdiff_t size = hfft_local_size(3, halved, MPI_COMM_WORLD, &planes, &plane);
  double *u = hfft_alloc_real(2 * (size_t)size);
  hfft_complex *s = hfft_alloc_complex((size_t)size);
  hfft_plan forward =
      hfft_plan_mixed(HFFT_R2C, 3, n, 1, u, s, MPI_COMM_WORLD, forward_kinds, 0, HFFT_ESTIMATE);
  hfft_plan backward =
      hfft_plan_mixed(HFFT_C2R, 3, n, 1, s, u, MPI_COMM_WORLD, backward_kinds, 0, HFFT_ESTIMATE);

  for (ptrdiff_t i = 0; i < planes; ++i)
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k) {
        const double x = place(plane + i, n0), y = place(j, n1), z = height(k);
        u[(i * n1 + j) * n2 + k] = known(x, y, z) * (second(x) + second(y) - pi * pi);
      }
  int error = hfft_execute(forward);
  for (ptrdiff_t i = 0; i < planes; ++i)
    for (ptrdiff_t j = 0; j < half; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k) {
        const ptrdiff_t mode = plane + i <= n0 / 2 ? plane + i : plane + i - n0;
        const double square = (double)(mode * mode + j * j) + pow(pi * (double)k, 2);
        const double factor = square > 0 ? -1 / (square * (n0 * n1 * 2 * n2)) : 0;
        s[(i * half + j) * n2 + k][0] *= factor;
        s[(i * half + j) * n2 + k][1] *= factor;
      }
  if (!error) error = hfft_execute(backward);

  double worst = 0;
  for (ptrdiff_t i = 0; i < planes; ++i)
    for (ptrdiff_t j = 0; j < n1; ++j)
      for (ptrdiff_t k = 0; k < n2; ++k)
        worst = fmax(worst, fabs(u[(i * n1 + j) * n2 + k] -
                                 known(place(plane + i, n0), place(j, n1), height(k))));
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (error) fprintf(stderr, "%s\n", hfft_last_error_message());
  if (rank == 0) printf(worst < 1e-12 ? "between walls: exact to rounding\n" : "error %g\n", worst);
  hfft_destroy_plan(forward);
  hfft_destroy_plan(backward);
  hfft_free(u);
  hfft_free(s);
  MPI_Finalize();
  return error || !(worst < 1e-12);
}
