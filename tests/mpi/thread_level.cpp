/// With MPI_THREAD_SINGLE one thread per rank is all a plan may use. Exit status 0 when all is as
/// promised, 77 when MPI gives more than MPI_THREAD_SINGLE.

#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "hybridfft/hybridfft.h"

namespace {

hfft_plan plan(int threads) {
  static hfft_complex data[256];
  hfft_plan_with_nthreads(threads);
  return hfft_plan_dft_3d(4, 4, 4, data, data, MPI_COMM_WORLD, HFFT_FORWARD, HFFT_ESTIMATE);
}

int check() {
  const hfft_plan one = plan(1);
  const bool one_works = one != nullptr && hfft_execute(one) == HFFT_SUCCESS;
  hfft_destroy_plan(one);
  const hfft_plan two = plan(2);
  const bool two_refused = two == nullptr && hfft_last_error() == HFFT_ERROR_THREAD_LEVEL &&
                           std::strstr(hfft_last_error_message(), "MPI_THREAD_FUNNELED") != nullptr;
  if (!one_works) std::fprintf(stderr, "one thread does not work\n");
  if (!two_refused)
    std::fprintf(stderr, "two threads: error %d, %s\n", hfft_last_error(),
                 hfft_last_error_message());
  return one_works && two_refused ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  int status = provided == MPI_THREAD_SINGLE ? check() : 77;
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
