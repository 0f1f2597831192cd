// A program compiled for another MPI than the library: its <mpi.h> claims to be MPICH. The library
// must refuse it.
#include <hybridfft/hybridfft.h>
#include <hybridfft/layout.h>
#include <string.h>

int MPI_Get_library_version(char *version, int *length) {
  strcpy(version, "MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}

static int expect_refused(const char *call, int refused) {
  const char *message = hfft_last_error_message();
  const int right = refused && hfft_last_error() == HFFT_ERROR_MPI &&
                    strstr(message, "MPICH Version: 4.0.2") && strstr(message, HFFT_MPI);
  if (!right) fprintf(stderr, "%s: code %d, \"%s\"\n", call, hfft_last_error(), message);
  return right ? 0 : 1;
}

int main(int argc, char **argv) {
  ptrdiff_t count, start;
  hfft_complex *a = hfft_alloc_complex(64);
  MPI_Init(&argc, &argv);
  int wrong = expect_refused("local_size",
                             hfft_local_size_3d(4, 4, 4, MPI_COMM_WORLD, &count, &start) == -1);
  wrong += expect_refused("plan_dft", hfft_plan_dft_3d(4, 4, 4, a, a, MPI_COMM_WORLD, HFFT_FORWARD,
                                                       HFFT_ESTIMATE) == NULL);
  const int all[] = {1, 1, 1};
  const ptrdiff_t n[] = {4, 4, 4};
  hfft_layout layout = hfft_layout_grid(3, n, all);
  const int axes[] = {0, 1, 2};
  wrong += expect_refused("plan_layout_dft",
                          hfft_plan_layout_dft(layout, layout, 3, axes, a, a, MPI_COMM_WORLD,
                                               HFFT_FORWARD, HFFT_ESTIMATE) == NULL);
  wrong += expect_refused("broadcast_wisdom", hfft_broadcast_wisdom(MPI_COMM_WORLD) != 1);
  hfft_layout_destroy(layout);
  hfft_free(a);
  MPI_Finalize();
  return wrong;
}
