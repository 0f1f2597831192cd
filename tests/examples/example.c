#include <hybridfft/hybridfft.h>
#include <math.h>

int main(int argc, char **argv) {
  const ptrdiff_t n0 = 64, n1 = 48, n2 = 40;
  ptrdiff_t planes, start; // this rank has the planes start ... start + planes - 1 along n0
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  ptrdiff_t size = hfft_local_size_3d(n0, n1, n2, MPI_COMM_WORLD, &planes, &start);
  hfft_complex *a = hfft_alloc_complex((size_t)size);
  hfft_plan plan = hfft_plan_dft_3d(n0, n1, n2, a, a, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_MEASURE);
  for (ptrdiff_t i = 0; i < planes * n1 * n2; ++i) { // five waves along n0
    a[i][0] = cos(2 * acos(-1) * 5 * (double)(start + i / (n1 * n2)) / (double)n0);
    a[i][1] = 0;
  }
  if (hfft_execute(plan) != HFFT_SUCCESS) fprintf(stderr, "%s\n", hfft_last_error_message());
  if (start <= 5 && 5 < start + planes) // half of the power is at +5, half at -5
    printf("(5, 0, 0): %.1f\n", a[(5 - start) * n1 * n2][0]);
  hfft_destroy_plan(plan);
  hfft_free(a);
  return MPI_Finalize();
}
