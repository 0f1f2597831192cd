#include <hybridfft/hybridfft.h>

int main(int argc, char **argv) {
  ptrdiff_t planes, start; // this rank has the planes start ... start + planes - 1
  MPI_Init(&argc, &argv);
  ptrdiff_t size = hfft_local_size_3d(64, 48, 40, MPI_COMM_WORLD, &planes, &start);
  hfft_complex *a = hfft_alloc_complex((size_t)size);
  hfft_plan plan = hfft_plan_dft_3d(64, 48, 40, a, a, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_MEASURE);
  for (ptrdiff_t i = 0; i < planes * 48 * 40; ++i)
    a[i][0] = 1, a[i][1] = 0;
  if (hfft_execute(plan) == HFFT_SUCCESS && start == 0) printf("sum: %.1f\n", a[0][0]);
  hfft_destroy_plan(plan);
  hfft_free(a);
  return MPI_Finalize();
}
